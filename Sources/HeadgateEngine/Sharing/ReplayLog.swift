/// The last values of a stream, at most as many as its capacity: a chain of cells that ends in an empty one.
///
/// A reader holds the cell that it has to read next. One that has fallen behind keeps what it has not read alive by
/// that, and loses nothing; nobody else pays for it. The cells belong to the owner of the hub's drain, readers' ones
/// included, so their references are counted without atomics, and a chain is freed cell by cell, however long.
@usableFromInline package struct ReplayLog<Output>: ~Copyable {
    @usableFromInline package typealias Place = UnsafeMutablePointer<Cell>

    @usableFromInline package struct Cell {
        @usableFromInline package var value: Output?

        @usableFromInline package var next: Place?

        /// How many places lead here: from the cell before, the two ends of the log, and readers.
        @usableFromInline package var references: Int

        @inlinable package init(references: Int) { self.references = references }
    }

    @usableFromInline package let capacity: Int

    /// Where a new reader begins.
    @usableFromInline package var oldest: Place

    /// Where the next value goes.
    @usableFromInline package var end: Place

    @usableFromInline package var count = 0

    /// How many values there have been: the position of the end.
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

    /// Leaves the oldest values to those who are reading them.
    @inlinable package mutating func forget(_ number: Int) {
        for _ in 0..<number {
            Self.advance(&oldest)
            count -= 1
        }
    }

    /// A place for a new reader, to be given back with `release`.
    @inlinable package func beginReading() -> Place {
        oldest.pointee.references += 1
        return oldest
    }

    /// Goes on to the next cell, if there is one.
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
