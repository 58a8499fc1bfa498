/// The most recent values of a stream, up to a capacity: a chain of cells that ends in an empty one.
///
/// A reader retains the cell that it has to read next. So a slow reader retains what it has not read, and loses
/// nothing, at no cost to the others. The cells, including those of readers, belong to the owner of the hub's drain, so
/// their references are counted without atomics, and a chain is freed cell by cell, however long.
@usableFromInline package struct ReplayLog<Output>: ~Copyable {
    @usableFromInline package typealias Place = UnsafeMutablePointer<Cell>

    @usableFromInline package struct Cell {
        @usableFromInline package var value: Output?

        @usableFromInline package var next: Place?

        /// The number of references to this cell: from the previous cell, the two ends of the log, and readers.
        @usableFromInline package var references: Int

        @inlinable package init(references: Int) { self.references = references }
    }

    @usableFromInline package let capacity: Int

    /// Where a new reader starts.
    @usableFromInline package var oldest: Place

    /// Where the next value is stored.
    @usableFromInline package var end: Place

    /// The memory of a freed cell, for the next one: where all readers keep up, nothing is allocated.
    @usableFromInline package var spare: Place?

    @usableFromInline package var count = 0

    /// The total number of values: the position of the end.
    @usableFromInline package var total = 0

    /// The number of values that are no longer kept: the position of the slowest reader, if a new reader starts at the end.
    @usableFromInline package var released = 0

    @inlinable package init(capacity: Int) {
        self.capacity = capacity
        end = .allocate(capacity: 1)
        end.initialize(to: Cell(references: 2))
        oldest = end
    }

    @inlinable deinit {
        Self.release(oldest) { $0.deallocate() }
        Self.release(end) { $0.deallocate() }
        spare?.deallocate()
    }

    @inlinable package mutating func append(_ value: Output) {
        let last = end
        end = spare.take() ?? .allocate(capacity: 1)
        end.initialize(to: Cell(references: 2))
        last.pointee.value = value
        last.pointee.next = end
        total += 1
        if count < capacity {
            count += 1
        } else {
            oldest = following(oldest)
        }
        leave(last)
    }

    /// Whether all readers have read everything, where no value is kept for new ones.
    @inlinable package var isRead: Bool { released == total }

    /// Counts a value that needs not be stored, because all readers have it and none is kept for new ones.
    @inlinable package mutating func skip() {
        total += 1
        released += 1
    }

    /// Leaves the oldest values to the readers that still need them.
    @inlinable package mutating func forget(_ number: Int) {
        for _ in 0..<number {
            oldest = following(oldest)
            count -= 1
        }
    }

    /// Returns the start for a new reader, to be given back with `leave(_:)`.
    @inlinable package func beginReading() -> Place {
        oldest.pointee.references += 1
        return oldest
    }

    /// Moves a reader to the next cell.
    @inlinable package mutating func move(_ place: inout Place) { place = following(place) }

    /// Gives back the place of a reader.
    @inlinable package mutating func leave(_ place: Place) {
        Self.release(place) { cell in
            released += 1
            if spare == nil { spare = cell } else { cell.deallocate() }
        }
    }

    /// Moves a reference to the next cell, if there is one.
    @inlinable mutating func following(_ place: Place) -> Place {
        guard let next = place.pointee.next else { return place }
        next.pointee.references += 1
        leave(place)
        return next
    }

    /// Gives back a reference to a cell, and calls a closure with the memory of each cell that nothing refers to.
    // A cell is freed after all before it, because each refers to the next.
    @inlinable package static func release(_ place: Place, _ free: (Place) -> Void) {
        var current: Place? = place
        while let cell = current {
            cell.pointee.references -= 1
            if cell.pointee.references > 0 { break }
            current = cell.pointee.next
            cell.deinitialize(count: 1)
            free(cell)
        }
    }
}
