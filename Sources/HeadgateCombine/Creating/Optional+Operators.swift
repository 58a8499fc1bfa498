import HeadgateCore
import HeadgateEngine

// With one value at the most, there from the start, the result of these operators is known when the pipeline is put
// together: closures are called once at the most, at that moment, and the type stays as simple as it was.

extension Optional.Publisher where Wrapped: Equatable {
    /// Publishes whether the value equals another one; nothing where there is no value.
    @inlinable public func contains(_ output: Output) -> Optional<Bool>.Publisher {
        self.output.map { $0 == output }.publisher
    }

    /// Publishes the value, which follows no equal one.
    @inlinable public func removeDuplicates() -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher where Wrapped: Comparable {
    /// Publishes the value, the least of one.
    @inlinable public func min() -> Optional<Wrapped>.Publisher { self }

    /// Publishes the value, the greatest of one.
    @inlinable public func max() -> Optional<Wrapped>.Publisher { self }
}

extension Optional.Publisher {
    /// Publishes whether a closure, called now, accepts the value; nothing where there is no value.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        output.map(predicate).publisher
    }

    /// Publishes the value in an array; an empty array where there is no value.
    @inlinable public func collect() -> Optional<[Output]>.Publisher {
        Optional<[Output]>.Publisher(output.map { [$0] } ?? [])
    }

    /// Publishes what a closure, called now, makes of the value, if that is something.
    @inlinable public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        output.flatMap(transform).publisher
    }

    /// Publishes the value, the least of one; the closure is not called.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
        self
    }

    /// Publishes the value, the greatest of one; the closure is not called.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
        self
    }

    /// Publishes whether a closure, called now, accepts the value; nothing where there is no value.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        output.map(predicate).publisher
    }

    /// Publishes one, the number of values; nothing where there is no value.
    @inlinable public func count() -> Optional<Int>.Publisher { output.map { _ in 1 }.publisher }

    /// Publishes the value if none is left out.
    @inlinable public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
        checkIsNotNegative(count, "The number of values to leave out")
        return Optional<Wrapped>.Publisher(count == 0 ? output : nil)
    }

    /// Publishes the value unless a closure, called now, accepts it.
    @inlinable public func drop(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
        filter { !predicate($0) }
    }

    /// Publishes the value, the first.
    @inlinable public func first() -> Optional<Wrapped>.Publisher { self }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func first(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

    /// Publishes the value, the last.
    @inlinable public func last() -> Optional<Wrapped>.Publisher { self }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func last(where predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher { filter(predicate) }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
        output.flatMap { isIncluded($0) ? $0 : nil }.publisher
    }

    /// Publishes nothing, and finishes.
    @inlinable public func ignoreOutput() -> Empty<Output, Failure> { Empty() }

    /// Publishes what a closure, called now, makes of the value.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
        output.map(transform).publisher
    }

    /// Publishes the value if the position is zero.
    @inlinable public func output(at index: Int) -> Optional<Wrapped>.Publisher {
        checkIsNotNegative(index, "The position of a value")
        return Optional<Wrapped>.Publisher(index == 0 ? output : nil)
    }

    /// Publishes the value if the positions include zero.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
        let range = range.relative(to: 0..<Int.max)
        checkIsNotNegative(range.lowerBound, "The position of a value")
        return Optional<Wrapped>.Publisher(range.contains(0) ? output : nil)
    }

    /// Publishes the value unless the length is zero.
    @inlinable public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
        checkIsNotNegative(maxLength, "The number of values")
        return Optional<Wrapped>.Publisher(maxLength > 0 ? output : nil)
    }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func prefix(while predicate: (Output) -> Bool) -> Optional<Wrapped>.Publisher {
        filter(predicate)
    }

    /// Publishes what a closure, called now, makes of a first result and the value; nothing where there is no value.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher
    {
        output.map { nextPartialResult(initialResult, $0) }.publisher
    }

    /// Publishes the value, which follows no other; the closure is not called.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Optional<Wrapped>.Publisher {
        self
    }

    /// Publishes the value, for there is no failure to replace.
    @inlinable public func replaceError(with output: Output) -> Optional<Wrapped>.Publisher { self }

    /// Publishes the value, or another one where there is none.
    @inlinable public func replaceEmpty(with output: Output) -> Just<Wrapped> { Just(self.output ?? output) }

    /// Publishes the value, for there is no failure to try again after.
    @inlinable public func retry(_ times: Int) -> Optional<Wrapped>.Publisher { self }

    /// Publishes what a closure, called now, makes of a first result and the value.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        output.map { nextPartialResult(initialResult, $0) }.publisher
    }
}

@inlinable func checkIsNotNegative(_ value: Int, _ what: String) {
    if value < 0 {
        programmerError(rule: "\(what) can't be negative.", found: "\(value)", remedy: "Use zero or more.")
    }
}
