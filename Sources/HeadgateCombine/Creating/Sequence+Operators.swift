import HeadgateEngine

// Operators on sequences that cost at most the copy of a collection when the pipeline is built.
//
// Combine has more of them, whose types imply that the whole sequence is read, and their closures called, at that time:
// `map`, `filter`, `compactMap`, `scan`, `reduce`, `collect`, `min`, `max`, `contains`, `allSatisfy`, `replaceNil`,
// `removeDuplicates`, `first(where:)`, `last(where:)`, `prefix(while:)`, `drop(while:)`, `count` where it isn't known,
// and the throwing ones. They are missing here in favour of the operators for all publishers, which follow demand and
// work with endless sequences.

extension Publishers.Sequence {
    /// Publishes the same elements with another failure type.
    @inlinable public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
        Publishers.Sequence(sequence: sequence)
    }

    /// Publishes all but the first `count` elements, which are skipped upon subscription.
    @inlinable public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
        checkIsNotNegative(count, "The number of values to leave out")
        return Publishers.Sequence(sequence: DropFirstSequence(sequence, dropping: count))
    }

    /// Publishes the first `maxLength` elements, and reads no others.
    @inlinable public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
        checkIsNotNegative(maxLength, "The number of values")
        return Publishers.Sequence(sequence: PrefixSequence(sequence, maxLength: maxLength))
    }

    /// Finishes without a value; doesn't read the sequence.
    @inlinable public func ignoreOutput() -> Empty<Output, Failure> { Empty() }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {
    /// Publishes the first element, if there is one.
    @inlinable public func first() -> Optional<Output>.Publisher { sequence.first.publisher }

    /// Publishes the element at an index of the collection, if there is one.
    @inlinable public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
        let isInside = sequence.startIndex <= index && index < sequence.endIndex
        return Optional<Output>.Publisher(isInside ? sequence[index] : nil)
    }
}

extension Publishers.Sequence where Elements: Collection {
    /// Publishes the elements at a range of indices, as far as they exist, copied now.
    @inlinable public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
        let range = range.clamped(to: sequence.startIndex..<sequence.endIndex)
        return Publishers.Sequence<[Output], Failure>(sequence: Array(sequence[range]))
    }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    /// Publishes the last element, if there is one.
    @inlinable public func last() -> Optional<Output>.Publisher { sequence.last.publisher }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
    /// Publishes the number of elements.
    @inlinable public func count() -> Just<Int> { Just(sequence.count) }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
    /// Publishes the number of elements.
    @inlinable public func count() -> Result<Int, Failure>.Publisher {
        Result<Int, Failure>.Publisher(.success(sequence.count))
    }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
    /// Publishes the given elements, then those of the collection.
    @inlinable public func prepend(_ elements: Output...) -> Self { prepend(elements) }

    /// Publishes the elements of another sequence, read now, then those of the collection.
    @inlinable public func prepend<S: Swift.Sequence>(_ elements: S) -> Self where S.Element == Elements.Element {
        Self(sequence: elements + sequence)
    }

    /// Publishes the elements of another collection, then those of this one.
    @inlinable public func prepend(_ publisher: Self) -> Self { prepend(publisher.sequence) }

    /// Publishes the elements of the collection, then the given ones.
    @inlinable public func append(_ elements: Output...) -> Self { append(elements) }

    /// Publishes the elements of the collection, then those of another sequence, read now.
    @inlinable public func append<S: Swift.Sequence>(_ elements: S) -> Self where S.Element == Elements.Element {
        Self(sequence: sequence + elements)
    }

    /// Publishes the elements of the collection, then those of another one.
    @inlinable public func append(_ publisher: Self) -> Self { append(publisher.sequence) }
}
