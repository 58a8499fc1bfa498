import HeadgateThread
import Synchronization

// How an owner performs what has been enqueued, and leaves the rest to a waiting caller.
extension Drain {
    /// Performs the enqueued work, oldest first, until there is none left or a waiting caller can continue; then
    /// leaves.
    @usableFromInline @inline(never) func leaveSlowly() {
        owner.store(headgate_thread(), ordering: .relaxed)
        let deadline = headgate_nanoseconds() + Patience.bound
        repeat {
            performWhatWaits(until: deadline)
        } while !(pending.load(ordering: .relaxed) == 0 ? leaveIfAlone() : offer())
    }

    /// Performs the enqueued work, oldest first, until there is none left, or the deadline has passed and a caller
    /// waits; stays the owner.
    package func performWhatWaits(until deadline: UInt64 = .max) {
        while true {
            while let cell = UnsafeMutablePointer<Cell>(bitPattern: pending.load(ordering: .relaxed)) {
                pending.store(cell.pointee.next, ordering: .relaxed)
                let work = cell.pointee.work
                Self.release(cell)
                backlog.subtract(1, ordering: .relaxed)
                work()
                if waiting.load(ordering: .relaxed) > 0, headgate_nanoseconds() > deadline { return }
            }
            if state.load(ordering: .relaxed) & ~Self.flags == 0 { return }
            let newest = state.bitwiseAnd(Self.flags, ordering: .acquiring).oldValue & ~Self.flags
            pending.store(Self.reversed(newest), ordering: .relaxed)
        }
    }

    /// Reverses a list of cells, which begins with the newest.
    static func reversed(_ newest: UInt) -> UInt {
        var following = newest
        var oldest: UInt = 0
        while let cell = UnsafeMutablePointer<Cell>(bitPattern: following) {
            following = cell.pointee.next
            cell.pointee.next = oldest
            oldest = UInt(bitPattern: cell)
        }
        return oldest
    }

    /// Gives up ownership, unless work has been enqueued.
    package func leaveIfAlone() -> Bool {
        owner.store(0, ordering: .relaxed)
        var old = Self.owned
        while old & ~Self.flags == 0 {
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: Self.idle, ordering: .releasing)
            if exchanged {
                resign(from: old)
                return true
            }
            old = current
        }
        owner.store(headgate_thread(), ordering: .relaxed)
        return false
    }

    /// Offers the remaining work to a waiting caller.
    ///
    /// - Returns: Whether a caller waits. If not, the caller still owns the drain.
    func offer() -> Bool {
        owner.store(0, ordering: .relaxed)
        var old = state.load(ordering: .relaxed)
        while true {
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old & ~Self.flags | Self.offered, ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = current
        }
        // A caller that stopped waiting before this load has not seen the offer; one that stops later sees it.
        if waiting.load(ordering: .sequentiallyConsistent) > 0 || !reclaim() {
            resign(from: old)
            return true
        }
        owner.store(headgate_thread(), ordering: .relaxed)
        return false
    }

    /// Ends what `becomeOwner` began, after the state has changed; wakes a parked caller if one was to be woken.
    func resign(from old: UInt) {
        headgate_deepen(-1)
        if old & Self.parked != 0 { state.wakeOne() }
    }
}
