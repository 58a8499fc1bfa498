import HeadgateEngine

// The one value or failure is available from the start, so the results of these operators are known when the pipeline
// is built: closures are called at most once, then and there, and the types stay simple. All of them forward a failure.
//
// `ignoreOutput()` is missing, because the type it has in Combine, `Empty`, can't carry the failure: the operator for
// all publishers keeps it.

extension Result.Publisher where Success: Equatable {
    /// Publishes whether the value equals the given one.
    @inlinable public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
        result.map { $0 == output }.publisher
    }

    /// Publishes the value, which has no predecessor.
    @inlinable public func removeDuplicates() -> Result<Output, Failure>.Publisher { self }
}

extension Result.Publisher where Success: Comparable {
    /// Publishes the value, the minimum of one.
    @inlinable public func min() -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value, the maximum of one.
    @inlinable public func max() -> Result<Output, Failure>.Publisher { self }
}

extension Result.Publisher where Failure == Never {
    /// Publishes the value with another failure type.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        result.mapError { $0 }.publisher
    }
}

extension Result.Publisher {
    /// Publishes whether the value satisfies a predicate, calling the closure now.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        result.map(predicate).publisher
    }

    /// Publishes whether the value satisfies a throwing predicate, or fails with its error, calling the closure now.
    @inlinable public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// Publishes the value in an array.
    @inlinable public func collect() -> Result<[Output], Failure>.Publisher { result.map { [$0] }.publisher }

    /// Publishes the value, the minimum of one; doesn't call the closure.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// Publishes the value, the minimum of one, or the error of the closure, called now with the value twice.
    @inlinable public func tryMin(by areInIncreasingOrder: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryRemoveDuplicates(by: areInIncreasingOrder)
    }

    /// Publishes the value, the maximum of one; doesn't call the closure.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// Publishes the value, the maximum of one, or the error of the closure, called now with the value twice.
    @inlinable public func tryMax(by areInIncreasingOrder: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryRemoveDuplicates(by: areInIncreasingOrder)
    }

    /// Publishes whether the value satisfies a predicate, calling the closure now.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        result.map(predicate).publisher
    }

    /// Publishes whether the value satisfies a throwing predicate, or fails with its error, calling the closure now.
    @inlinable public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// Publishes 1, the number of values.
    @inlinable public func count() -> Result<Int, Failure>.Publisher { result.map { _ in 1 }.publisher }

    /// Publishes the value, which is the first.
    @inlinable public func first() -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value, which is the last.
    @inlinable public func last() -> Result<Output, Failure>.Publisher { self }

    /// Transforms the value, calling the closure now.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
        result.map(transform).publisher
    }

    /// Transforms the value with a throwing closure, or fails with its error, calling the closure now.
    @inlinable public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result<T, any Error> { try transform(result.get()) }.publisher
    }

    /// Publishes the value, or the transformed failure, calling the closure now.
    @inlinable public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
        result.mapError(transform).publisher
    }

    /// Publishes the result of combining an initial result with the value, calling the closure now.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Failure>.Publisher
    {
        map { nextPartialResult(initialResult, $0) }
    }

    /// Publishes the result of a throwing closure for an initial result and the value, or its error, calling it now.
    @inlinable public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryMap { try nextPartialResult(initialResult, $0) }
    }

    /// Publishes the value, which has no predecessor; doesn't call the closure.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher
    { self }

    /// Publishes the value, which has no predecessor, or the error of the closure, called now with the value twice.
    @inlinable public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryMap { value in
            _ = try predicate(value, value)
            return value
        }
    }

    /// Publishes the value, or the given one in place of the failure.
    @inlinable public func replaceError(with output: Output) -> Result<Output, Never>.Publisher {
        Result<Output, Never>.Publisher((try? result.get()) ?? output)
    }

    /// Publishes the value or the failure unchanged: a result is never empty.
    @inlinable public func replaceEmpty(with output: Output) -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value or the failure unchanged: a retry would have the same outcome.
    @inlinable public func retry(_ times: Int) -> Result<Output, Failure>.Publisher { self }

    /// Publishes the result of combining an initial result with the value, calling the closure now.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Failure>.Publisher
    {
        map { nextPartialResult(initialResult, $0) }
    }

    /// Publishes the result of a throwing closure for an initial result and the value, or its error, calling it now.
    @inlinable public func tryScan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryMap { try nextPartialResult(initialResult, $0) }
    }
}
