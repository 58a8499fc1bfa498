import HeadgateEngine

// There is at most one value, from the start, so the results of these operators are known when the pipeline is built:
// closures are called at most once, then and there, and the types stay simple.

extension Optional.Publisher where Wrapped: Equatable {
    /// Publishes whether the value, if any, equals the given one.
    @inlinable public func contains(_ output: Output) -> Optional<Bool>.Publisher {
        self.output.map { $0 == output }.publisher
    }

    /// Publishes the value, which has no predecessor.
    @inlinable public func removeDuplicates() -> Self { self }
}

extension Optional.Publisher where Wrapped: Comparable {
    /// Publishes the value, the minimum of one.
    @inlinable public func min() -> Self { self }

    /// Publishes the value, the maximum of one.
    @inlinable public func max() -> Self { self }
}

extension Optional.Publisher {
    /// Publishes whether the value, if any, satisfies a predicate, calling the closure now.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        output.map(predicate).publisher
    }

    /// Publishes the value in an array, or an empty array if there is none.
    @inlinable public func collect() -> Optional<[Output]>.Publisher {
        Optional<[Output]>.Publisher(output.map { [$0] } ?? [])
    }

    /// Transforms the value and publishes the result unless it is `nil`, calling the closure now.
    @inlinable public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        output.flatMap(transform).publisher
    }

    /// Publishes the value, the minimum of one; doesn't call the closure.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }

    /// Publishes the value, the maximum of one; doesn't call the closure.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }

    /// Publishes whether the value, if any, satisfies a predicate, calling the closure now.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Optional<Bool>.Publisher {
        output.map(predicate).publisher
    }

    /// Publishes 1 if there is a value.
    @inlinable public func count() -> Optional<Int>.Publisher { output.map { _ in 1 }.publisher }

    /// Publishes the value if `count` is zero.
    @inlinable public func dropFirst(_ count: Int = 1) -> Self {
        checkIsNotNegative(count, "The number of values to leave out")
        return Self(count == 0 ? output : nil)
    }

    /// Publishes the value unless it satisfies a predicate, calling the closure now.
    @inlinable public func drop(while predicate: (Output) -> Bool) -> Self {
        filter { !predicate($0) }
    }

    /// Publishes the value, which is the first.
    @inlinable public func first() -> Self { self }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func first(where predicate: (Output) -> Bool) -> Self { filter(predicate) }

    /// Publishes the value, which is the last.
    @inlinable public func last() -> Self { self }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func last(where predicate: (Output) -> Bool) -> Self { filter(predicate) }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func filter(_ isIncluded: (Output) -> Bool) -> Self {
        output.flatMap { isIncluded($0) ? $0 : nil }.publisher
    }

    /// Finishes without a value.
    @inlinable public func ignoreOutput() -> Empty<Output, Failure> { Empty() }

    /// Transforms the value, calling the closure now.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Optional<T>.Publisher {
        output.map(transform).publisher
    }

    /// Publishes the value if `index` is zero.
    @inlinable public func output(at index: Int) -> Self {
        checkIsNotNegative(index, "The position of a value")
        return Self(index == 0 ? output : nil)
    }

    /// Publishes the value if the range contains zero.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Self where R.Bound == Int {
        let range = range.relative(to: Positions())
        checkIsNotNegative(range.lowerBound, "The position of a value")
        return Self(range.contains(0) ? output : nil)
    }

    /// Publishes the value unless `maxLength` is zero.
    @inlinable public func prefix(_ maxLength: Int) -> Self {
        checkIsNotNegative(maxLength, "The number of values")
        return Self(maxLength > 0 ? output : nil)
    }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func prefix(while predicate: (Output) -> Bool) -> Self { filter(predicate) }

    /// Publishes the result of combining an initial result with the value, if any, calling the closure now.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher
    {
        output.map { nextPartialResult(initialResult, $0) }.publisher
    }

    /// Publishes the value, which has no predecessor; doesn't call the closure.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Self { self }

    /// Publishes the value unchanged: there is no failure to replace.
    @inlinable public func replaceError(with output: Output) -> Self { self }

    /// Publishes the value, or the given one if there is none.
    @inlinable public func replaceEmpty(with output: Output) -> Just<Wrapped> { Just(self.output ?? output) }

    /// Publishes the value unchanged: there is no failure to retry after.
    @inlinable public func retry(_ times: Int) -> Self { self }

    /// Publishes the result of combining an initial result with the value, calling the closure now.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Optional<T>.Publisher {
        output.map { nextPartialResult(initialResult, $0) }.publisher
    }
}

@inlinable func checkIsNotNegative(_ value: Int, _ what: String) {
    require(
        value >= 0, rule: "\(what) can't be negative.", found: "\(value)", remedy: "Use zero or more.")
}
