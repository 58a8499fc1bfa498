/// A first-in, first-out queue in one ring buffer.
///
/// Appending and removing take amortised constant time.
@usableFromInline package struct Queue<Element> {
    // Its size is a power of two, so that a mask wraps positions.
    @usableFromInline package var ring: ContiguousArray<Element?> = []

    @usableFromInline package var head = 0

    @usableFromInline package var count = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { count == 0 }

    @inlinable package mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = element
        count += 1
    }

    /// The oldest element.
    @inlinable package var first: Element? { count == 0 ? nil : ring[head] }

    /// Removes the oldest element.
    ///
    /// The queue must not be empty.
    @inlinable package mutating func removeFirst() {
        ring[head] = nil
        head = (head + 1) & (ring.count - 1)
        count -= 1
    }

    /// Removes and returns the oldest element.
    @inlinable package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        removeFirst()
        return first
    }

    @inlinable package mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(4, ring.count * 2))
        for offset in 0..<count { swap(&larger[offset], &ring[(head + offset) & (ring.count - 1)]) }
        ring = larger
        head = 0
    }
}
