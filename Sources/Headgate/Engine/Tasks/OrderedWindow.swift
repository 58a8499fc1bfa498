/// Results that become ready in any order, and are removed in the order of their numbers.
@usableFromInline package struct OrderedWindow<Element> {
    // Its size is a power of two, so that a mask wraps numbers.
    @usableFromInline var ring = ContiguousArray<Element?>()

    /// The number whose turn it is.
    @usableFromInline package var first = 0

    @inlinable package init() {}

    /// Stores a result at its position.
    @inlinable package mutating func put(_ element: Element, at number: Int) {
        while number - first >= ring.count { grow() }
        ring[number & (ring.count - 1)] = element
    }

    /// How many results are stored, in linear time.
    @inlinable package var count: Int { ring.reduce(0) { $1 == nil ? $0 : $0 + 1 } }

    /// Whether the result whose turn it is is ready.
    @inlinable package var isFirstReady: Bool { !ring.isEmpty && ring[first & (ring.count - 1)] != nil }

    /// Removes and returns the result whose turn it is, if it is ready.
    @inlinable package mutating func popFirst() -> Element? {
        if ring.isEmpty { return nil }
        guard let element = ring[first & (ring.count - 1)].take() else { return nil }
        first += 1
        return element
    }

    /// Ends the turn of a result that need not be stored, because its turn has come.
    ///
    /// - Returns: Whether it has.
    @inlinable package mutating func skipFirst(_ number: Int) -> Bool {
        if number != first { return false }
        first += 1
        return true
    }

    @inlinable mutating func grow() {
        let old = ring
        ring = ContiguousArray(repeating: nil, count: max(4, old.count * 2))
        for number in first..<(first + old.count) { ring[number & (ring.count - 1)] = old[number & (old.count - 1)] }
    }
}
