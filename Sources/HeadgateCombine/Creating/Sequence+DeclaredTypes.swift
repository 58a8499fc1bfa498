import HeadgateCore
import HeadgateEngine

// The operators on sequences whose types in Combine say that the whole sequence is read, and their closures are called,
// when the pipeline is put together. Client code spells these types out, as in
// `let squares: Publishers.Sequence<[Int], Never> = numbers.publisher.map { $0 * $0 }`.
//
// The compiler chooses them where the type says so, and where nothing else fits; everywhere else the operators for all
// publishers serve, which follow demand, and with which an endless sequence can be used.

extension Publishers.Sequence {
    @inlinable func read<T>(_ elements: [T]) -> Publishers.Sequence<[T], Failure> {
        Publishers.Sequence(sequence: elements)
    }

    /// Publishes what a closure, called now for each element, makes of them.
    @inlinable @_disfavoredOverload
    public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
        read(sequence.map(transform))
    }

    /// Publishes what a closure, called now for each element, makes of them, where it makes anything.
    @inlinable @_disfavoredOverload
    public func compactMap<T>(_ transform: (Output) -> T?) -> Publishers.Sequence<[T], Failure> {
        read(sequence.compactMap(transform))
    }

    /// Publishes the elements that a closure, called now for each, accepts.
    @inlinable @_disfavoredOverload
    public func filter(_ isIncluded: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
        read(sequence.filter(isIncluded))
    }

    /// Publishes the elements up to the first that a closure, called now, does not accept.
    @inlinable @_disfavoredOverload
    public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure>
    {
        read(sequence.prefix(while: predicate))
    }

    /// Publishes the elements from the first that a closure, called now, does not accept.
    @inlinable @_disfavoredOverload
    public func drop(while predicate: (Elements.Element) -> Bool)
        -> Publishers.Sequence<DropWhileSequence<Elements>, Failure>
    {
        Publishers.Sequence(sequence: sequence.drop(while: predicate))
    }

    /// Publishes the results that a closure, called now for each element, makes of the one before and the element.
    @inlinable @_disfavoredOverload
    public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping StreamClosure<T, Output, T>)
        -> Publishers.Sequence<[T], Failure>
    {
        var result = initialResult
        return read(
            sequence.map {
                result = nextPartialResult(result, $0)
                return result
            })
    }

    /// Publishes the elements, with a value in place of each that is `nil`.
    @inlinable @_disfavoredOverload
    public func replaceNil<T>(with output: T) -> Publishers.Sequence<[Output], Failure> where Elements.Element == T? {
        read(sequence.map { $0 ?? output })
    }

    /// Publishes an array of all elements, which are read now.
    @inlinable @_disfavoredOverload
    public func collect() -> Result<[Output], Failure>.Publisher { .init(.success(Array(sequence))) }

    /// Publishes what a closure, called now for each element, makes of all of them.
    @inlinable @_disfavoredOverload
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: @escaping StreamClosure<T, Output, T>)
        -> Result<T, Failure>.Publisher
    {
        .init(.success(sequence.reduce(initialResult, nextPartialResult)))
    }

    /// Publishes what a throwing closure, called now for each element, makes of all of them.
    @inlinable @_disfavoredOverload
    public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: @escaping ThrowingStreamClosure<T, Output, T>)
        -> Result<T, any Error>.Publisher
    {
        .init(Result { try sequence.reduce(initialResult, nextPartialResult) })
    }

    /// Publishes whether a closure, called now, accepts an element.
    @inlinable @_disfavoredOverload
    public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.contains(where: predicate)))
    }

    /// Publishes whether a throwing closure, called now, accepts an element.
    @inlinable @_disfavoredOverload
    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.contains(where: predicate) })
    }

    /// Publishes whether a closure, called now, accepts all elements.
    @inlinable @_disfavoredOverload
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.allSatisfy(predicate)))
    }

    /// Publishes whether a throwing closure, called now, accepts all elements.
    @inlinable @_disfavoredOverload
    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        .init(Result { try sequence.allSatisfy(predicate) })
    }
}

extension Publishers.Sequence where Elements.Element: Equatable {
    /// Publishes the elements, read now, without those that follow an equal one.
    @inlinable @_disfavoredOverload
    public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> {
        var result: [Output] = []
        for element in sequence where result.last != element { result.append(element) }
        return read(result)
    }

    /// Publishes whether an element, found now, equals a value.
    @inlinable @_disfavoredOverload
    public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
        .init(.success(sequence.contains(output)))
    }
}

extension Publishers.Sequence where Failure == Never {
    /// Publishes the least element by an order, found now.
    @inlinable @_disfavoredOverload
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.min(by: areInIncreasingOrder))
    }

    /// Publishes the greatest element by an order, found now.
    @inlinable @_disfavoredOverload
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.max(by: areInIncreasingOrder))
    }

    /// Publishes the first element that a closure, called now, accepts.
    @inlinable @_disfavoredOverload
    public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.first(where: predicate))
    }
}

extension Publishers.Sequence where Failure == Never, Elements.Element: Comparable {
    /// Publishes the least element, found now.
    @inlinable @_disfavoredOverload public func min() -> Optional<Output>.Publisher { .init(sequence.min()) }

    /// Publishes the greatest element, found now.
    @inlinable @_disfavoredOverload public func max() -> Optional<Output>.Publisher { .init(sequence.max()) }
}

extension Publishers.Sequence where Elements: Collection {
    /// Publishes the number of elements, counted now.
    @inlinable @_disfavoredOverload
    public func count() -> Result<Int, Failure>.Publisher { .init(.success(sequence.count)) }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    /// Publishes the last element that a closure, called now, accepts.
    @inlinable @_disfavoredOverload
    public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
        .init(sequence.last(where: predicate))
    }
}
