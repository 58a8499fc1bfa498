import Synchronization

/// Lets one thread at a time through, and never waits: whoever finds somebody inside leaves the work for them to do.
///
/// This is how everything that can be sent to from several threads, or from inside its own delivery, keeps one order
/// and stays flat. Passing through an empty drain costs one atomic exchange in and one out, and allocates nothing. Work
/// that is left behind is a linked list which its owner takes whole, so that neither side ever waits for the other.
///
/// The price: work may be done by another thread than the one that brought it, after that one has gone on.
@usableFromInline package struct SerialDrain<Work>: ~Copyable {
    @usableFromInline package struct Cell {
        @usableFromInline package let work: Work

        @usableFromInline package var next: UInt

        @inlinable package init(work: Work, next: UInt) {
            self.work = work
            self.next = next
        }
    }

    // `idle`, `busy`, or the address of the newest of the cells left behind, the last of which has `next == busy`.
    @usableFromInline package let state = Atomic<UInt>(0)

    @inlinable package init() {}

    @inlinable package static var idle: UInt { 0 }

    @inlinable package static var busy: UInt { 1 }

    /// Does a piece of work, now or when the present owner comes to it, and then whatever was left behind meanwhile.
    ///
    /// - Parameter perform: Does one piece of work. Never runs twice at a time, and never inside itself.
    @inlinable @inline(__always) package func run(_ work: Work, _ perform: (Work) -> Void) {
        if admit(work) {
            perform(work)
            finish(perform)
        }
    }

    /// Becomes the owner, or leaves work to the present one.
    ///
    /// - Returns: Whether the caller is now the owner and has to do the work itself, and then call `finish`.
    @inlinable @inline(__always) package func admit(_ work: Work) -> Bool {
        enter() || !leaveBehind(work)
    }

    /// Stops being the owner, after doing whatever was left behind.
    @inlinable @inline(__always) package func finish(_ perform: (Work) -> Void) {
        if !exit() { performWaiting(perform) }
    }

    /// Becomes the owner if there is none.
    @inlinable @inline(__always) package func enter() -> Bool {
        state.compareExchange(expected: Self.idle, desired: Self.busy, ordering: .acquiring).exchanged
    }

    /// Stops being the owner if no work has been left behind.
    @inlinable @inline(__always) package func exit() -> Bool {
        state.compareExchange(expected: Self.busy, desired: Self.idle, ordering: .acquiringAndReleasing).exchanged
    }

    /// Leaves work to the owner, or becomes the owner if the last one has gone meanwhile.
    ///
    /// - Returns: Whether there was an owner to leave it to.
    @inlinable @inline(never) package func leaveBehind(_ work: Work) -> Bool {
        let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
        cell.initialize(to: Cell(work: work, next: Self.busy))
        var old = state.load(ordering: .relaxed)
        while true {
            if old == Self.idle {
                if enter() {
                    cell.deinitialize(count: 1)
                    cell.deallocate()
                    return false
                }
                old = state.load(ordering: .relaxed)
                continue
            }
            cell.pointee.next = old
            let (exchanged, current) = state.weakCompareExchange(
                expected: old, desired: UInt(bitPattern: cell), ordering: .acquiringAndReleasing)
            if exchanged { return true }
            old = current
        }
    }

    /// Does what was left behind, oldest first, until there is nothing more; then there is no owner.
    @inlinable @inline(never) package func performWaiting(_ perform: (Work) -> Void) {
        repeat { performRound(perform) } while !exit()
    }

    /// Does what has been left behind so far, oldest first, and stays the owner.
    @inlinable package func performRound(_ perform: (Work) -> Void) {
        var cell = takeWaiting()
        while let current = cell {
            cell = Self.cell(at: current.pointee.next)
            let work = current.move().work
            current.deallocate()
            perform(work)
        }
    }

    /// Takes the cells left behind and turns them round, for the newest comes first.
    @inlinable package func takeWaiting() -> UnsafeMutablePointer<Cell>? {
        var newest = Self.cell(at: state.exchange(Self.busy, ordering: .acquiringAndReleasing))
        var oldest: UnsafeMutablePointer<Cell>?
        while let current = newest {
            newest = Self.cell(at: current.pointee.next)
            current.pointee.next = UInt(bitPattern: oldest)
            oldest = current
        }
        return oldest
    }

    @inlinable package static func cell(at address: UInt) -> UnsafeMutablePointer<Cell>? {
        address == busy ? nil : UnsafeMutablePointer(bitPattern: address)
    }
}
