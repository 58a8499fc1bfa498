import HeadgateCore
import HeadgateEngine

// With one value or failure that is there from the start, the result of these operators is known when the pipeline is
// put together: closures are called once at the most, at that moment, and the type stays as simple as it was. All of
// them pass a failure on.
//
// `ignoreOutput()` is not here, because its type in Combine, `Empty`, has no place for the failure: the operator for
// all publishers keeps it.

extension Result.Publisher where Success: Equatable {
    /// Publishes whether the value equals another one.
    @inlinable public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher {
        result.map { $0 == output }.publisher
    }

    /// Publishes the value, which follows no equal one.
    @inlinable public func removeDuplicates() -> Result<Output, Failure>.Publisher { self }
}

extension Result.Publisher where Success: Comparable {
    /// Publishes the value, the least of one.
    @inlinable public func min() -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value, the greatest of one.
    @inlinable public func max() -> Result<Output, Failure>.Publisher { self }
}

extension Result.Publisher where Failure == Never {
    /// Publishes the value as a publisher that might fail.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        result.mapError { $0 }.publisher
    }
}

extension Result.Publisher {
    /// Publishes whether a closure, called now, accepts the value.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        result.map(predicate).publisher
    }

    /// Publishes whether a closure, called now, accepts the value, or what it throws.
    @inlinable public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// Publishes the value in an array.
    @inlinable public func collect() -> Result<[Output], Failure>.Publisher { result.map { [$0] }.publisher }

    /// Publishes the value, the least of one; the closure is not called.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// Publishes the value, the least of one, unless the closure, called now with it twice, throws.
    @inlinable public func tryMin(by areInIncreasingOrder: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryMap { value in
            _ = try areInIncreasingOrder(value, value)
            return value
        }
    }

    /// Publishes the value, the greatest of one; the closure is not called.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher {
        self
    }

    /// Publishes the value, the greatest of one, unless the closure, called now with it twice, throws.
    @inlinable public func tryMax(by areInIncreasingOrder: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryMap { value in
            _ = try areInIncreasingOrder(value, value)
            return value
        }
    }

    /// Publishes whether a closure, called now, accepts the value.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        result.map(predicate).publisher
    }

    /// Publishes whether a closure, called now, accepts the value, or what it throws.
    @inlinable public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    /// Publishes one, the number of values.
    @inlinable public func count() -> Result<Int, Failure>.Publisher { result.map { _ in 1 }.publisher }

    /// Publishes the value, the first.
    @inlinable public func first() -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value, the last.
    @inlinable public func last() -> Result<Output, Failure>.Publisher { self }

    /// Publishes what a closure, called now, makes of the value.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher {
        result.map(transform).publisher
    }

    /// Publishes what a closure, called now, makes of the value, or what it throws.
    @inlinable public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result<T, any Error> { try transform(result.get()) }.publisher
    }

    /// Publishes the value, or what a closure, called now, makes of the failure.
    @inlinable public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Output, E>.Publisher {
        result.mapError(transform).publisher
    }

    /// Publishes what a closure, called now, makes of a first result and the value.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Failure>.Publisher
    {
        map { nextPartialResult(initialResult, $0) }
    }

    /// Publishes what a closure, called now, makes of a first result and the value, or what it throws.
    @inlinable public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryMap { try nextPartialResult(initialResult, $0) }
    }

    /// Publishes the value, which follows no other; the closure is not called.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Output, Failure>.Publisher
    { self }

    /// Publishes the value, which follows no other, unless the closure, called now with it twice, throws.
    @inlinable public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        tryMap { value in
            _ = try predicate(value, value)
            return value
        }
    }

    /// Publishes the value, or another one in place of the failure.
    @inlinable public func replaceError(with output: Output) -> Result<Output, Never>.Publisher {
        Result<Output, Never>.Publisher((try? result.get()) ?? output)
    }

    /// Publishes the value or the failure, for a result is never empty.
    @inlinable public func replaceEmpty(with output: Output) -> Result<Output, Failure>.Publisher { self }

    /// Publishes the value or the failure, for trying again would come to the same.
    @inlinable public func retry(_ times: Int) -> Result<Output, Failure>.Publisher { self }

    /// Publishes what a closure, called now, makes of a first result and the value.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Failure>.Publisher
    {
        map { nextPartialResult(initialResult, $0) }
    }

    /// Publishes what a closure, called now, makes of a first result and the value, or what it throws.
    @inlinable public func tryScan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryMap { try nextPartialResult(initialResult, $0) }
    }
}
