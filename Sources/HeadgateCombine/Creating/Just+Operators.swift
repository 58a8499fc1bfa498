import HeadgateCore
import HeadgateEngine

// With one value that is there from the start, the result of these operators is known when the pipeline is put
// together: closures are called once, at that moment, and the type stays as simple as it was.

extension Just where Output: Comparable {
    /// Publishes the value, the least of one.
    @inlinable public func min() -> Just<Output> { self }

    /// Publishes the value, the greatest of one.
    @inlinable public func max() -> Just<Output> { self }
}

extension Just where Output: Equatable {
    /// Publishes whether the value equals another one.
    @inlinable public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }

    /// Publishes the value, which follows no equal one.
    @inlinable public func removeDuplicates() -> Just<Output> { self }
}

extension Just {
    /// Publishes whether a closure, called now, accepts the value.
    @inlinable public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// Publishes whether a closure, called now, accepts the value, or what it throws.
    @inlinable public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result<Bool, any Error> { try predicate(output) }.publisher
    }

    /// Publishes the value in an array.
    @inlinable public func collect() -> Just<[Output]> { Just<[Output]>([output]) }

    /// Publishes what a closure, called now, makes of the value, if that is something.
    @inlinable public func compactMap<T>(_ transform: (Output) -> T?) -> Optional<T>.Publisher {
        transform(output).publisher
    }

    /// Publishes the value, the least of one; the closure is not called.
    @inlinable public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

    /// Publishes the value, the greatest of one; the closure is not called.
    @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }

    /// Publishes some elements, and then the value.
    @inlinable public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

    /// Publishes the elements of a sequence, read now, and then the value.
    @inlinable public func prepend<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
    where S.Element == Output {
        Publishers.Sequence(sequence: Array(elements) + [output])
    }

    /// Publishes the value, and then some elements.
    @inlinable public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

    /// Publishes the value, and then the elements of a sequence, read now.
    @inlinable public func append<S: Sequence>(_ elements: S) -> Publishers.Sequence<[Output], Never>
    where S.Element == Output {
        Publishers.Sequence(sequence: [output] + elements)
    }

    /// Publishes whether a closure, called now, accepts the value.
    @inlinable public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    /// Publishes whether a closure, called now, accepts the value, or what it throws.
    @inlinable public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result<Bool, any Error> { try predicate(output) }.publisher
    }

    /// Publishes one, the number of values.
    @inlinable public func count() -> Just<Int> { Just<Int>(1) }

    /// Publishes the value if none is left out.
    @inlinable public func dropFirst(_ count: Int = 1) -> Optional<Output>.Publisher {
        Optional(output).publisher.dropFirst(count)
    }

    /// Publishes the value unless a closure, called now, accepts it.
    @inlinable public func drop(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        Optional(output).publisher.drop(while: predicate)
    }

    /// Publishes the value, the first.
    @inlinable public func first() -> Just<Output> { self }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes the value, the last.
    @inlinable public func last() -> Just<Output> { self }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func filter(_ isIncluded: (Output) -> Bool) -> Optional<Output>.Publisher {
        Optional<Output>.Publisher(isIncluded(output) ? output : nil)
    }

    /// Publishes nothing, and finishes.
    @inlinable public func ignoreOutput() -> Empty<Output, Never> { Empty() }

    /// Publishes what a closure, called now, makes of the value.
    @inlinable public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

    /// Publishes what a closure, called now, makes of the value, or what it throws.
    @inlinable public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result<T, any Error> { try transform(output) }.publisher
    }

    /// Publishes the value as a publisher that might fail; the closure is not called.
    @inlinable public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }

    /// Publishes the value if the position is zero.
    @inlinable public func output(at index: Int) -> Optional<Output>.Publisher {
        Optional(output).publisher.output(at: index)
    }

    /// Publishes the value if the positions include zero.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Optional<Output>.Publisher where R.Bound == Int {
        Optional(output).publisher.output(in: range)
    }

    /// Publishes the value unless the length is zero.
    @inlinable public func prefix(_ maxLength: Int) -> Optional<Output>.Publisher {
        Optional(output).publisher.prefix(maxLength)
    }

    /// Publishes the value if a closure, called now, accepts it.
    @inlinable public func prefix(while predicate: (Output) -> Bool) -> Optional<Output>.Publisher { filter(predicate) }

    /// Publishes what a closure, called now, makes of a first result and the value.
    @inlinable public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Never>.Publisher
    {
        Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
    }

    /// Publishes what a closure, called now, makes of a first result and the value, or what it throws.
    @inlinable public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        Result<T, any Error> { try nextPartialResult(initialResult, output) }.publisher
    }

    /// Publishes the value, which follows no other; the closure is not called.
    @inlinable public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

    /// Publishes the value, which follows no other, unless the closure, called now with it twice, throws.
    @inlinable public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool)
        -> Result<Output, any Error>.Publisher
    {
        Result<Output, any Error>.Publisher(
            Result {
                _ = try predicate(output, output)
                return output
            })
    }

    /// Publishes the value, for there is no failure to replace.
    @inlinable public func replaceError(with output: Output) -> Just<Output> { self }

    /// Publishes the value, for there is one.
    @inlinable public func replaceEmpty(with output: Output) -> Just<Output> { self }

    /// Publishes the value, for there is no failure to try again after.
    @inlinable public func retry(_ times: Int) -> Just<Output> { self }

    /// Publishes what a closure, called now, makes of a first result and the value.
    @inlinable public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T)
        -> Result<T, Never>.Publisher
    {
        reduce(initialResult, nextPartialResult)
    }

    /// Publishes what a closure, called now, makes of a first result and the value, or what it throws.
    @inlinable public func tryScan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) throws -> T)
        -> Result<T, any Error>.Publisher
    {
        tryReduce(initialResult, nextPartialResult)
    }

    /// Publishes the value as a publisher that might fail.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }
}
