import HeadgateCore

/// The source from which a `PullConduit` reads elements.
///
/// No element is read without demand. So the end is known right after the last element only if no read is needed to
/// detect it.
@usableFromInline package protocol PullSource: IteratorProtocol {
    /// Whether there is no further element, as far as that is known without reading one.
    var isAtEnd: Bool { get }

    associatedtype Elements: IteratorProtocol<Element>

    /// The elements, for one who reads them all: a debug build would count them in as many instructions again.
    var elements: Elements { get }

    /// Passes on all elements at once, if their number is known and the subscriber takes them so.
    ///
    /// - Returns: Whether it does.
    func deliverAll(to subscriber: some Subscriber<Element, some Error>) -> Bool
}

extension PullSource {
    @inlinable package func deliverAll(to subscriber: some Subscriber<Element, some Error>) -> Bool { false }
}

/// An iterator whose end is found only by reading.
@usableFromInline package struct UncountedSource<Iterator: IteratorProtocol>: PullSource {
    @usableFromInline var iterator: Iterator

    @inlinable package init(_ iterator: Iterator) { self.iterator = iterator }

    @inlinable package var elements: Iterator { iterator }

    @inlinable package var isAtEnd: Bool { false }

    @inlinable package mutating func next() -> Iterator.Element? { iterator.next() }
}

/// An iterator over a known number of elements.
@usableFromInline package struct CountedSource<Iterator: IteratorProtocol>: PullSource {
    @usableFromInline var iterator: Iterator

    @usableFromInline var remaining: Int

    @inlinable package init(_ iterator: Iterator, count: Int) {
        self.iterator = iterator
        remaining = count
    }

    @inlinable package var elements: Iterator { iterator }

    @inlinable package var isAtEnd: Bool { remaining == 0 }

    @inlinable package mutating func next() -> Iterator.Element? {
        guard let element = iterator.next() else { return nil }
        remaining -= 1
        return element
    }

    @inlinable package func deliverAll(to subscriber: some Subscriber<Element, some Error>) -> Bool {
        subscriber._receive(all: RemainingElements(iterator: iterator, underestimatedCount: remaining))
    }
}

/// The elements of an iterator, and their number.
@usableFromInline struct RemainingElements<Iterator: IteratorProtocol>: Sequence, IteratorProtocol {
    @usableFromInline var iterator: Iterator

    @usableFromInline let underestimatedCount: Int

    @inlinable init(iterator: Iterator, underestimatedCount: Int) {
        self.iterator = iterator
        self.underestimatedCount = underestimatedCount
    }

    @inlinable mutating func next() -> Iterator.Element? { iterator.next() }

}

extension Swift.Sequence {
    /// Attaches a subscriber to the elements, or completes at once if there are known to be none.
    @inlinable package func connect<Downstream: Subscriber>(
        to downstream: Downstream, completion: Subscribers.Completion<Downstream.Failure> = .finished,
        label: @autoclosure () -> Any
    ) where Downstream.Input == Element {
        if let count = knownCount {
            PullConduit.connect(CountedSource(makeIterator(), count: count), to: downstream, completion, label())
        } else {
            PullConduit.connect(UncountedSource(makeIterator()), to: downstream, completion, label())
        }
    }

    /// The number of elements, if that is known without producing any of them.
    ///
    /// For ranges and arrays, the compiler knows that it is. A lazy collection may have to call closures to count.
    @inlinable var knownCount: Int? {
        if let collection = self as? any RandomAccessCollection { return collection.count }
        if self is any LazyCollectionProtocol { return nil }
        return (self as? any Collection)?.count
    }
}
