/// A first-in, first-out queue in one ring buffer.
///
/// Appending and removing take amortised constant time. A copy of a queue takes the elements along when either is changed.
// Not an array of optionals, and without calls that name the type of the ring: code that is not specialised would look
// these types up for each value.
@usableFromInline package struct Queue<Element> {
    /// A `Ring` of the elements.
    @usableFromInline var ring: RingMemory?

    @inlinable package init() {}

    @inlinable @inline(__always) package var count: Int { ring?.length ?? 0 }

    @inlinable @inline(__always) package var isEmpty: Bool { count == 0 }

    /// How many elements there is room for.
    @inlinable package var capacity: Int { ring?.capacity ?? 0 }

    @inlinable @inline(__always) package mutating func append(_ element: Element) {
        let isShared = !isKnownUniquelyReferenced(&ring)
        if isShared || !ring.unsafelyUnwrapped.hasRoom {
            ring = Ring<Element>.replacing(ring, isShared: isShared)
        }
        ring.unsafelyUnwrapped.append(element)
    }

    /// All elements, oldest first.
    package var elements: [Element] {
        (0..<count).map { ring.unsafelyUnwrapped.place($0, of: Element.self).pointee }
    }

    /// The oldest element.
    @inlinable @inline(__always) package var first: Element? {
        isEmpty ? nil : ring.unsafelyUnwrapped.place(0, of: Element.self).pointee
    }

    /// Removes and returns the oldest element.
    ///
    /// The queue must not be empty.
    @inlinable @inline(__always) @discardableResult package mutating func removeFirst() -> Element {
        if !isKnownUniquelyReferenced(&ring) { ring = Ring<Element>.replacing(ring, isShared: true) }
        return ring.unsafelyUnwrapped.removeFirst(Element.self)
    }

    /// Exchanges the elements with those of another queue.
    @inlinable @inline(__always) package mutating func exchange(with other: inout Queue) { swap(&ring, &other.ring) }

    /// Removes and returns the oldest element.
    @inlinable @inline(__always) package mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

/// The memory of a queue, whatever the type of its elements.
@usableFromInline package class RingMemory {
    @usableFromInline final let elements: UnsafeMutableRawPointer

    /// A power of two, so that a mask wraps positions.
    @usableFromInline final let capacity: Int

    @exclusivity(unchecked) @usableFromInline final var start = 0

    @exclusivity(unchecked) @usableFromInline final var length = 0

    @inlinable init(_ elements: UnsafeMutableRawPointer, capacity: Int) {
        self.elements = elements
        self.capacity = capacity
    }

    @inlinable @inline(__always) final var hasRoom: Bool { length < capacity }

    @inlinable @inline(__always) final func place<Element>(
        _ offset: Int, of type: Element.Type
    ) -> UnsafeMutablePointer<Element> {
        elements.assumingMemoryBound(to: Element.self) + ((start &+ offset) & (capacity &- 1))
    }

    @inlinable @inline(__always) final func append<Element>(_ element: Element) {
        place(length, of: Element.self).initialize(to: element)
        length &+= 1
    }

    @inlinable @inline(__always) final func removeFirst<Element>(_ type: Element.Type) -> Element {
        let place = place(0, of: type)
        start = (start &+ 1) & (capacity &- 1)
        length &-= 1
        return place.move()
    }
}

/// The memory of a queue, with what it knows of its elements: how they are copied and released.
@usableFromInline final class Ring<Element>: RingMemory {
    @inlinable init(capacity: Int) {
        super.init(UnsafeMutablePointer<Element>.allocate(capacity: capacity), capacity: capacity)
    }

    @inlinable deinit {
        let (head, tail) = halves
        head.deinitialize()
        tail.deinitialize()
        elements.deallocate()
    }

    /// The elements up to the end of the memory, and those that follow from its beginning.
    @inlinable var halves: (UnsafeMutableBufferPointer<Element>, UnsafeMutableBufferPointer<Element>) {
        let first = min(length, capacity - start)
        return (
            UnsafeMutableBufferPointer(start: place(0, of: Element.self), count: first),
            UnsafeMutableBufferPointer(start: place(first, of: Element.self), count: length - first)
        )
    }

    /// A ring with the elements of another, and room for one more.
    ///
    /// - Parameter isShared: Whether the other keeps its elements.
    @inlinable @inline(never) static func replacing(_ old: RingMemory?, isShared: Bool) -> Ring {
        guard let old = old.map({ unsafeDowncast($0, to: Ring.self) }) else { return Ring(capacity: 4) }
        let ring = Ring(capacity: old.hasRoom ? old.capacity : 2 * old.capacity)
        let (head, tail) = old.halves
        if isShared {
            for element in head { ring.append(element) }
            for element in tail { ring.append(element) }
            return ring
        }
        let place = ring.place(0, of: Element.self)
        place.moveInitialize(from: head.baseAddress.unsafelyUnwrapped, count: head.count)
        (place + head.count).moveInitialize(from: tail.baseAddress.unsafelyUnwrapped, count: tail.count)
        swap(&ring.length, &old.length)
        return ring
    }
}
