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

    @usableFromInline package var count = 0

    /// The total number of values: the position of the end.
    @usableFromInline package var total = 0

    @inlinable package init(capacity: Int) {
        self.capacity = capacity
        end = .allocate(capacity: 1)
        end.initialize(to: Cell(references: 2))
        oldest = end
    }

    @inlinable deinit {
        Self.release(oldest)
        Self.release(end)
    }

    @inlinable package mutating func append(_ value: Output) {
        let following = Place.allocate(capacity: 1)
        following.initialize(to: Cell(references: 2))
        let last = end
        last.pointee.value = value
        last.pointee.next = following
        end = following
        total += 1
        if count < capacity {
            count += 1
        } else {
            Self.advance(&oldest)
        }
        Self.release(last)
    }

    /// Leaves the oldest values to the readers that still need them.
    @inlinable package mutating func forget(_ number: Int) {
        for _ in 0..<number {
            Self.advance(&oldest)
            count -= 1
        }
    }

    /// Returns the start for a new reader, to be given back with `release`.
    @inlinable package func beginReading() -> Place {
        oldest.pointee.references += 1
        return oldest
    }

    /// Moves to the next cell, if there is one.
    @inlinable package static func advance(_ place: inout Place) {
        guard let next = place.pointee.next else { return }
        next.pointee.references += 1
        let old = place
        place = next
        release(old)
    }

    @inlinable package static func release(_ place: Place) {
        var current: Place? = place
        while let cell = current {
            cell.pointee.references -= 1
            if cell.pointee.references > 0 { return }
            current = cell.pointee.next
            cell.deinitialize(count: 1)
            cell.deallocate()
        }
    }
}
