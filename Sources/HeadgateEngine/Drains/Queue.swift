/// A first-in, first-out queue in one ring buffer.
///
/// Appending and removing take amortised constant time. It has room for 4,294,967,295 elements.
@usableFromInline package struct Queue<Element> {
    // Its size is a power of two, so that a mask wraps positions.
    @usableFromInline package var ring = ContiguousArray<Element?>()

    // Of 32 bits, because there is a queue in nearly every conduit.
    @usableFromInline var start: UInt32 = 0

    @usableFromInline var length: UInt32 = 0

    @inlinable package init() {}

    @inlinable package var count: Int { Int(length) }

    @inlinable package var isEmpty: Bool { length == 0 }

    @inlinable var head: Int { Int(start) }

    @inlinable package mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = element
        length += 1
    }

    /// The oldest element.
    @inlinable package var first: Element? { isEmpty ? nil : ring[head] }

    /// Removes the oldest element.
    ///
    /// The queue must not be empty.
    @inlinable package mutating func removeFirst() {
        ring[head] = nil
        start = (start + 1) & UInt32(truncatingIfNeeded: ring.count - 1)
        length -= 1
    }

    /// Removes and returns the oldest element.
    @inlinable package mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        // Moved out: a copy would be retained and released.
        let element = ring[head].take()
        start = (start + 1) & UInt32(truncatingIfNeeded: ring.count - 1)
        length -= 1
        return element
    }

    @inlinable package mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(4, ring.count * 2))
        for offset in 0..<count { swap(&larger[offset], &ring[(head + offset) & (ring.count - 1)]) }
        ring = larger
        start = 0
    }
}
