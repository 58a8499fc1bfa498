import HeadgateEngine

// The one value is available from the start, so the results of these operators are known when the pipeline is built:
// closures are called once, then and there, and the types stay simple.

extension Just where Output: Comparable {
    /// Publishes the value, the minimum of one.
    @inlinable public func min() -> Self { self }

    /// Publishes the value, the maximum of one.
    @inlinable public func max() -> Self { self }
}

extension Just where Output: Equatable {
    /// Publishes whether the value equals the given one.
    @inlinable public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }

    /// Publishes the value, which has no predecessor.
    @inlinable public func removeDuplicates() -> Self { self }
}

extension Just {
    /// Publishes whether the value satisfies a predicate, calling the closure now.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// Publishes whether the value satisfies a throwing predicate, or fails with its error, calling the closure now.
    @inlinable public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result<Bool, any Error> { try predicate(output) }.publisher
    }

    /// Publishes the value in an array.
    @inlinable public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

    /// Transforms the value and publishes the result unless it is `nil`, calling the closure now.
    @inlinable public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        transform(output).publisher
    }

    /// Publishes the value, the minimum of one; doesn't call the closure.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }

    /// Publishes the value, the maximum of one; doesn't call the closure.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }

    /// Publishes the given elements, then the value.
    @inlinable public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

    /// Publishes the elements of a sequence, read now, then the value.
    @inlinable public func prepend<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
    where S.Element == Output {
        Publishers.Sequence(sequence: Array(elements) + [output])
    }

    /// Publishes the value, then the given elements.
    @inlinable public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

    /// Publishes the value, then the elements of a sequence, read now.
    @inlinable public func append<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
    where S.Element == Output {
        Publishers.Sequence(sequence: [output] + elements)
    }

    /// Publishes whether the value satisfies a predicate, calling the closure now.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// Publishes whether the value satisfies a throwing predicate, or fails with its error, calling the closure now.
    @inlinable public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result<Bool, any Error> { try predicate(output) }.publisher
    }

    /// Publishes 1, the number of values.
    @inlinable public func count() -> Just<Int> { Just<Int>(1) }

    /// Publishes the value if `count` is zero.
    @inlinable public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        Optional(output).publisher.dropFirst(count)
    }

    /// Publishes the value unless it satisfies a predicate, calling the closure now.
    @inlinable public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        Optional(output).publisher.drop(while: predicate)
    }

    /// Publishes the value, which is the first.
    @inlinable public func first() -> Self { self }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes the value, which is the last.
    @inlinable public func last() -> Self { self }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        Optional<Output>.Publisher(isIncluded(output) ? output : nil)
    }

    /// Finishes without a value.
    @inlinable public func ignoreOutput() -> Empty<Output, Never> { Empty() }

    /// Transforms the value, calling the closure now.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

    /// Transforms the value with a throwing closure, or fails with its error, calling the closure now.
    @inlinable public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result<T, any Error> { try transform(output) }.publisher
    }

    /// Publishes the value with another failure type; doesn't call the closure.
    @inlinable public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }

    /// Publishes the value if `index` is zero.
    @inlinable public func output(at index: Int) -> Optional<Output>.Publisher {
        Optional(output).publisher.output(at: index)
    }

    /// Publishes the value if the range contains zero.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        Optional(output).publisher.output(in: range)
    }

    /// Publishes the value unless `maxLength` is zero.
    @inlinable public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
        Optional(output).publisher.prefix(maxLength)
    }

    /// Publishes the value if it satisfies a predicate, calling the closure now.
    @inlinable public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes the result of combining an initial result with the value, calling the closure now.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Never>.Publisher
    {
        Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
    }

    /// Publishes the result of a throwing closure for an initial result and the value, or its error, calling it now.
    @inlinable public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        Result<T, any Error> { try nextPartialResult(initialResult, output) }.publisher
    }

    /// Publishes the value, which has no predecessor; doesn't call the closure.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Self { self }

    /// Publishes the value, which has no predecessor, or the error of the closure, called now with the value twice.
    @inlinable public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        Result<Output, any Error>.Publisher(output).tryRemoveDuplicates(by: predicate)
    }

    /// Publishes the value unchanged: there is no failure to replace.
    @inlinable public func replaceError(with output: Output) -> Self { self }

    /// Publishes the value unchanged: the stream is never empty.
    @inlinable public func replaceEmpty(with output: Output) -> Self { self }

    /// Publishes the value unchanged: there is no failure to retry after.
    @inlinable public func retry(_ times: Int) -> Self { self }

    /// Publishes the result of combining an initial result with the value, calling the closure now.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Never>.Publisher
    {
        reduce(initialResult, nextPartialResult)
    }

    /// Publishes the result of a throwing closure for an initial result and the value, or its error, calling it now.
    @inlinable public func tryScan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryReduce(initialResult, nextPartialResult)
    }

    /// Publishes the value with another failure type.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }
}
