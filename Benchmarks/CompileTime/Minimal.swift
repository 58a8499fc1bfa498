// The least that a library of fluent operators can be: one protocol with one associated type, one generic structure and one method for each
// operator, no overloads, and no demand, completion or cancellation. What the compiler needs for a chain on these, it needs for the shape of
// the chain.

public protocol Stream<Output> {
    associatedtype Output
    func run(_ body: @escaping (Output) -> Void)
}

public struct Of<S: Sequence>: Stream {
    @usableFromInline let elements: S
    @inlinable init(_ elements: S) { self.elements = elements }
    @inlinable public func run(_ body: @escaping (S.Element) -> Void) { elements.forEach(body) }
}

public struct Just<Output>: Stream {
    @usableFromInline let value: Output
    @inlinable public init(_ value: Output) { self.value = value }
    @inlinable public func run(_ body: @escaping (Output) -> Void) { body(value) }
}

public final class PassthroughSubject<Output, Failure: Error>: Stream {
    @usableFromInline var bodies: [(Output) -> Void] = []
    public init() {}
    public func send(_ value: Output) { for body in bodies { body(value) } }
    @inlinable public func run(_ body: @escaping (Output) -> Void) { bodies.append(body) }
}

public final class AnyCancellable {
    public init() {}
}

public struct Mapped<Base: Stream, Output>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Output) -> Output
    @inlinable init(base: Base, transform: @escaping (Base.Output) -> Output) {
        self.base = base
        self.transform = transform
    }
    @inlinable public func run(_ body: @escaping (Output) -> Void) { base.run { [transform] in body(transform($0)) } }
}

public struct Filtered<Base: Stream>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let isIncluded: (Base.Output) -> Bool
    @inlinable init(base: Base, isIncluded: @escaping (Base.Output) -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }
    @inlinable public func run(_ body: @escaping (Base.Output) -> Void) { base.run { [isIncluded] in if isIncluded($0) { body($0) } } }
}

public struct Compacted<Base: Stream, Output>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Output) -> Output?
    @inlinable init(base: Base, transform: @escaping (Base.Output) -> Output?) {
        self.base = base
        self.transform = transform
    }
    @inlinable public func run(_ body: @escaping (Output) -> Void) {
        base.run { [transform] in if let value = transform($0) { body(value) } }
    }
}

public struct Scanned<Base: Stream, Output>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let initial: Output
    @usableFromInline let next: (Output, Base.Output) -> Output
    @inlinable init(base: Base, initial: Output, next: @escaping (Output, Base.Output) -> Output) {
        self.base = base
        self.initial = initial
        self.next = next
    }
    @inlinable public func run(_ body: @escaping (Output) -> Void) {
        var state = initial
        base.run { [next] in
            state = next(state, $0)
            body(state)
        }
    }
}

public struct Flattened<Base: Stream, Inner: Stream>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let transform: (Base.Output) -> Inner
    @inlinable init(base: Base, transform: @escaping (Base.Output) -> Inner) {
        self.base = base
        self.transform = transform
    }
    @inlinable public func run(_ body: @escaping (Inner.Output) -> Void) { base.run { [transform] in transform($0).run(body) } }
}

public struct Switched<Base: Stream>: Stream where Base.Output: Stream {
    @usableFromInline let base: Base
    @inlinable init(base: Base) { self.base = base }
    @inlinable public func run(_ body: @escaping (Base.Output.Output) -> Void) { base.run { $0.run(body) } }
}

public struct Appended<Base: Stream>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let last: Base.Output
    @inlinable init(base: Base, last: Base.Output) {
        self.base = base
        self.last = last
    }
    @inlinable public func run(_ body: @escaping (Base.Output) -> Void) {
        base.run(body)
        body(last)
    }
}

public struct Dropped<Base: Stream>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let count: Int
    @inlinable init(base: Base, count: Int) {
        self.base = base
        self.count = count
    }
    @inlinable public func run(_ body: @escaping (Base.Output) -> Void) {
        var left = count
        base.run { if left > 0 { left -= 1 } else { body($0) } }
    }
}

public struct Collected<Base: Stream>: Stream {
    @usableFromInline let base: Base
    @inlinable init(base: Base) { self.base = base }
    @inlinable public func run(_ body: @escaping ([Base.Output]) -> Void) {
        var all: [Base.Output] = []
        base.run { all.append($0) }
        body(all)
    }
}

public enum Prefetch { case keepFull }
public enum WhenFull { case dropOldest }

public struct Buffered<Base: Stream>: Stream {
    @usableFromInline let base: Base
    @usableFromInline let size: Int
    @inlinable init(base: Base, size: Int) {
        self.base = base
        self.size = size
    }
    @inlinable public func run(_ body: @escaping (Base.Output) -> Void) {
        var waiting: [Base.Output] = []
        base.run { [size] in
            waiting.append($0)
            while waiting.count > size { waiting.removeFirst() }
            while !waiting.isEmpty { body(waiting.removeFirst()) }
        }
    }
}

extension Sequence {
    @inlinable public var publisher: Of<Self> { Of(self) }
}

extension Stream {
    @inlinable public func map<T>(_ transform: @escaping (Output) -> T) -> Mapped<Self, T> { Mapped(base: self, transform: transform) }
    @inlinable public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Filtered<Self> {
        Filtered(base: self, isIncluded: isIncluded)
    }
    @inlinable public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Compacted<Self, T> {
        Compacted(base: self, transform: transform)
    }
    @inlinable public func scan<T>(_ initial: T, _ next: @escaping (T, Output) -> T) -> Scanned<Self, T> {
        Scanned(base: self, initial: initial, next: next)
    }
    @inlinable public func flatMap<Inner: Stream>(_ transform: @escaping (Output) -> Inner) -> Flattened<Self, Inner> {
        Flattened(base: self, transform: transform)
    }
    @inlinable public func append(_ last: Output) -> Appended<Self> { Appended(base: self, last: last) }
    @inlinable public func dropFirst(_ count: Int = 1) -> Dropped<Self> { Dropped(base: self, count: count) }
    @inlinable public func collect() -> Collected<Self> { Collected(base: self) }
    @inlinable public func buffer(size: Int, prefetch: Prefetch, whenFull: WhenFull) -> Buffered<Self> { Buffered(base: self, size: size) }
    @inlinable public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        run(receiveValue)
        return AnyCancellable()
    }
}

extension Stream where Output: Stream {
    @inlinable public func switchToLatest() -> Switched<Self> { Switched(base: self) }
}
