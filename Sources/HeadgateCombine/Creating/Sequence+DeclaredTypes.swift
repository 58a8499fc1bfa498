import HeadgateEngine

// The operators on sequences whose types in Combine imply that the whole sequence is read, and their closures called,
// when the pipeline is built. Client code spells these types out, as in
// `let squares: Publishers.Sequence<[Int], Never> = numbers.publisher.map { $0 * $0 }`.
//
// The compiler chooses them where such a type is given, and where nothing else fits. Everywhere else it chooses the
// operators for all publishers, which follow demand and work with endless sequences.

extension Publishers.Sequence {
    @inlinable func read<T>(_ elements: [T]) -> Publishers.Sequence<[T], Failure> {
        Publishers.Sequence(sequence: elements)
    }

    /// Transforms each element, calling the closure for all elements now.
    @inlinable @_disfavoredOverload
    public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
        read(sequence.map(transform))
    }

    /// Transforms each element and publishes the non-`nil` results, calling the closure for all elements now.
    @inlinable @_disfavoredOverload
    public func compactMap<T>(_ transform: (Output) -> T?) -> Publishers.Sequence<[T], Failure> {
        read(sequence.compactMap(transform))
    }

    /// Publishes the elements that satisfy a predicate, calling the closure for all elements now.
    @inlinable @_disfavoredOverload
    public func filter(_ isIncluded: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
        read(sequence.filter(isIncluded))
    }

    /// Publishes the elements before the first that fails a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure>
    {
        read(sequence.prefix(while: predicate))
    }

    /// Publishes the elements from the first that fails a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func drop(while predicate: (Elements.Element) -> Bool)
        -> Publishers.Sequence<DropWhileSequence<Elements>, Failure>
    {
        Publishers.Sequence(sequence: sequence.drop(while: predicate))
    }

    /// Publishes the running results of combining the elements, calling the closure for all elements now.
    @inlinable @_disfavoredOverload
    @preconcurrency public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T)
        -> Publishers.Sequence<[T], Failure>
    {
        var result = initialResult
        return read(
            sequence.map {
                result = nextPartialResult(result, $0)
                return result
            })
    }

    /// Publishes the elements, with a value in place of each `nil`.
    @inlinable @_disfavoredOverload
    public func replaceNil<T>(with output: T) -> Publishers.Sequence<[Output], Failure> where Elements.Element == T? {
        read(sequence.map { $0 ?? output })
    }

    /// Publishes an array of all elements, which are read now.
    @inlinable @_disfavoredOverload
    public func collect() -> Result<[Output], Failure>.Publisher { .init(.success(Array(sequence))) }

    /// Publishes the result of combining all elements, calling the closure for all elements now.
    @inlinable @_disfavoredOverload
    @preconcurrency public func reduce<T>(_ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T)
        -> Result<T, Failure>.Publisher
    {
        .init(.success(sequence.reduce(initialResult, nextPartialResult)))
    }

    /// Publishes the result of combining all elements with a throwing closure, called for all elements now.
    @inlinable @_disfavoredOverload
    @preconcurrency public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        .init(Result { try sequence.reduce(initialResult, nextPartialResult) })
    }

    /// Publishes whether an element satisfies a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.contains(where: predicate)))
    }

    /// Publishes whether an element satisfies a throwing predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.contains(where: predicate) })
    }

    /// Publishes whether all elements satisfy a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.allSatisfy(predicate)))
    }

    /// Publishes whether all elements satisfy a throwing predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.allSatisfy(predicate) })
    }
}

extension Publishers.Sequence where Elements.Element: Equatable {
    /// Publishes the elements, read now, except those that equal their predecessor.
    @inlinable @_disfavoredOverload
    public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> {
        var result: [Output] = []
        for element in sequence where result.last != element { result.append(element) }
        return read(result)
    }

    /// Publishes whether the sequence, searched now, contains a value.
    @inlinable @_disfavoredOverload
    public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.contains(output)))
    }
}

extension Publishers.Sequence where Failure == Never {
    /// Publishes the minimum under an ordering, found now.
    @inlinable @_disfavoredOverload
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.min(by: areInIncreasingOrder))
    }

    /// Publishes the maximum under an ordering, found now.
    @inlinable @_disfavoredOverload
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.max(by: areInIncreasingOrder))
    }

    /// Publishes the first element that satisfies a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.first(where: predicate))
    }
}

extension Publishers.Sequence where Failure == Never, Elements.Element: Comparable {
    /// Publishes the minimum, found now.
    @inlinable @_disfavoredOverload public func min() -> Optional<Output>.Publisher { .init(sequence.min()) }

    /// Publishes the maximum, found now.
    @inlinable @_disfavoredOverload public func max() -> Optional<Output>.Publisher { .init(sequence.max()) }
}

extension Publishers.Sequence where Elements: Collection {
    /// Publishes the number of elements, counted now.
    @inlinable @_disfavoredOverload
    public func count() -> Result<Int, Failure>.Publisher { .init(.success(sequence.count)) }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    /// Publishes the last element that satisfies a predicate, calling the closure now.
    @inlinable @_disfavoredOverload
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.last(where: predicate))
    }
}
