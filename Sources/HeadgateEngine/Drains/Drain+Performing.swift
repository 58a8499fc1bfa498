import HeadgateThread
import Synchronization

// How an owner performs what has been enqueued, and leaves the rest to a waiting caller.
extension Drain {
    /// Performs the work that an owner has offered, for no longer than the bound.
    func takeOver() {
        if reclaim() {
            becomeOwner()
            performWaiting()
        }
    }

    /// Takes an offered drain.
    ///
    /// - Returns: Whether it was offered. If so, the caller owns the drain now.
    func reclaim() -> Bool {
        var old = state.load(ordering: .sequentiallyConsistent)
        while old & Self.offered != 0 {
            // Acquiring though the load was: the drain may have been taken and offered again since.
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old & ~Self.flags | Self.owned, ordering: .acquiring)
            if exchanged { return true }
            old = current
        }
        return false
    }

    /// Performs the enqueued work, oldest first, until there is none left or a waiting caller can continue; then
    /// leaves.
    @usableFromInline @inline(never) func performWaiting() {
        let deadline = headgate_nanoseconds() + Patience.bound
        repeat {
            owner.store(headgate_thread(), ordering: .relaxed)
            performRounds(until: deadline)
            owner.store(0, ordering: .relaxed)
        } while !(pending.load(ordering: .relaxed) == 0 ? exit() : offer())
        headgate_deepen(-1)
    }

    /// Performs what was enqueued meanwhile, and stays the owner.
    package func performWhatWaits() {
        if state.load(ordering: .relaxed) != Self.owned { performRounds(until: .max) }
    }

    /// Gives up ownership, unless work has been enqueued.
    package func leaveIfAlone() -> Bool {
        owner.store(0, ordering: .relaxed)
        if exit() {
            headgate_deepen(-1)
            return true
        }
        owner.store(headgate_thread(), ordering: .relaxed)
        return false
    }

    func exit() -> Bool {
        state.compareExchange(expected: Self.owned, desired: Self.idle, ordering: .releasing).exchanged
    }

    /// Performs the enqueued work, oldest first, until there is none left, or the deadline has passed and a caller
    /// waits.
    func performRounds(until deadline: UInt64) {
        while true {
            while let cell = UnsafeMutablePointer<Cell>(bitPattern: pending.load(ordering: .relaxed)) {
                pending.store(cell.pointee.next, ordering: .relaxed)
                let work = cell.pointee.work
                Self.release(cell)
                backlog.subtract(1, ordering: .relaxed)
                work()
                if waiting.load(ordering: .relaxed) > 0, headgate_nanoseconds() > deadline { return }
            }
            let newest = state.exchange(Self.owned, ordering: .acquiring) & ~Self.flags
            if newest == 0 { return }
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

    /// Offers the remaining work to a waiting caller.
    ///
    /// - Returns: Whether a caller waits. If not, the caller still owns the drain.
    func offer() -> Bool {
        var old = state.load(ordering: .relaxed)
        while true {
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old & ~Self.flags | Self.offered, ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = current
        }
        // A caller that stopped waiting before this load has not seen the offer; one that stops later sees it.
        return waiting.load(ordering: .sequentiallyConsistent) > 0 || !reclaim()
    }
}
