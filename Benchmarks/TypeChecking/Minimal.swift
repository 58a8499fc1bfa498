// The least that a library of fluent operators can be: one protocol with one associated type, one generic structure and one method for each
// operator, and no overloads. What the compiler needs for a chain on these, it needs for the shape of the chain.

public protocol Stream<Output> {
    associatedtype Output
    func run(_ body: (Output) -> Void)
}

public struct Of<S: Sequence>: Stream {
    let elements: S
    public init(_ elements: S) { self.elements = elements }
    public func run(_ body: (S.Element) -> Void) { elements.forEach(body) }
}

public struct Mapped<Base: Stream, Output>: Stream {
    let base: Base
    let transform: (Base.Output) -> Output
    public func run(_ body: (Output) -> Void) { base.run { body(transform($0)) } }
}

public struct Filtered<Base: Stream>: Stream {
    let base: Base
    let isIncluded: (Base.Output) -> Bool
    public func run(_ body: (Base.Output) -> Void) { base.run { if isIncluded($0) { body($0) } } }
}

public struct Compacted<Base: Stream, Output>: Stream {
    let base: Base
    let transform: (Base.Output) -> Output?
    public func run(_ body: (Output) -> Void) { base.run { if let value = transform($0) { body(value) } } }
}

public struct Scanned<Base: Stream, Output>: Stream {
    let base: Base
    let initial: Output
    let next: (Output, Base.Output) -> Output
    public func run(_ body: (Output) -> Void) {
        var state = initial
        base.run {
            state = next(state, $0)
            body(state)
        }
    }
}

public struct Flattened<Base: Stream, Inner: Stream>: Stream {
    let base: Base
    let transform: (Base.Output) -> Inner
    public func run(_ body: (Inner.Output) -> Void) { base.run { transform($0).run(body) } }
}

public struct Dropped<Base: Stream>: Stream {
    let base: Base
    let count: Int
    public func run(_ body: (Base.Output) -> Void) {
        var left = count
        base.run { if left > 0 { left -= 1 } else { body($0) } }
    }
}

public struct Collected<Base: Stream>: Stream {
    let base: Base
    public func run(_ body: ([Base.Output]) -> Void) {
        var all: [Base.Output] = []
        base.run { all.append($0) }
        body(all)
    }
}

extension Sequence {
    public var publisher: Of<Self> { Of(self) }
}

extension Stream {
    public func map<T>(_ transform: @escaping (Output) -> T) -> Mapped<Self, T> { Mapped(base: self, transform: transform) }
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Filtered<Self> { Filtered(base: self, isIncluded: isIncluded) }
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Compacted<Self, T> {
        Compacted(base: self, transform: transform)
    }
    public func scan<T>(_ initial: T, _ next: @escaping (T, Output) -> T) -> Scanned<Self, T> {
        Scanned(base: self, initial: initial, next: next)
    }
    public func flatMap<Inner: Stream>(_ transform: @escaping (Output) -> Inner) -> Flattened<Self, Inner> {
        Flattened(base: self, transform: transform)
    }
    public func dropFirst(_ count: Int = 1) -> Dropped<Self> { Dropped(base: self, count: count) }
    public func collect() -> Collected<Self> { Collected(base: self) }
    public func sink(receiveValue: @escaping (Output) -> Void) { run(receiveValue) }
}
