import HeadgateThread
import Synchronization

// How a caller waits for its turn: it looks, parks, is woken by an owner that leaves, and looks again.
//
// A caller parks at the state, after setting the flag `parked` in it while there is an owner. Whoever clears that flag
// wakes one caller, after the change. So a caller that is about to sleep either finds the state changed, or sleeps before
// the wake-up: the system compares the word and enqueues the thread in one step. No fence is needed for that, since the
// flag and what clears it are in one word, whose changes have one order.
//
// One caller is woken for all. While others may sleep without the flag, that caller answers for them: it sets the flag
// again when it becomes the owner, takes over, or parks; and if it gives up, it sets the flag for the current owner, or
// wakes another itself if there is none. A caller whose time has passed was not woken, and answers for nobody.
extension Drain {
    /// Waits for the caller's turn to forward what an upstream has sent.
    ///
    /// - Parameter slows: Whether the caller brings a value, and waits longer if work has been enqueued already.
    /// - Returns: Whether the caller is the owner now. If not, it has to enqueue its work with `postpone`.
    @usableFromInline @inline(never) package func waitForTurn(slows: Bool = false) -> Bool {
        contend(mayWait: mayForward, slows: slows, enter: { enterIfIdle() }, push: { true })
    }

    /// Whether the calling thread may wait here for its turn to forward what an upstream has sent.
    ///
    /// Not if it is the owner itself. And not during a send from inside a delivery, since another thread may be sending
    /// the other way. All other waits point downstream, and so never form a cycle.
    @usableFromInline package var mayForward: Bool {
        headgate_depth() < Self.nested && !isOwnedByCaller
    }

    /// Takes the caller's turn or enqueues its work, where either has to be atomic with something else.
    ///
    /// - Parameters:
    ///   - slows: Whether the caller brings a value, and waits longer if work has been enqueued already.
    ///   - enter: Calls `enterIfIdle` and returns its result.
    ///   - push: Calls `push` and returns its result.
    /// - Returns: Whether the caller is the owner now and has to do the work. If not, the work has been enqueued.
    @usableFromInline @inline(never) package func contend(
        mayWait: Bool, slows: Bool, enter: () -> Bool, push: () -> Bool
    ) -> Bool {
        if !mayWait { return enter() || !push() }
        // Relaxed: an owner that doesn't see it yet goes on by itself.
        waiting.add(1, ordering: .relaxed)
        var patience = Patience()
        var wasWoken = false
        var isOwner = enter()
        while !isOwner,
            patience.wait(
                behind: slows ? Int(backlog.load(ordering: .relaxed)) : 0,
                park: { if park(nanoseconds: $0) { wasWoken = true } })
        {
            takeOver()
            isOwner = enter()
        }
        if !isOwner { isOwner = !push() }
        waiting.subtract(1, ordering: .sequentiallyConsistent)
        if wasWoken, expectWakeUp() == nil { state.wakeOne() }
        // An owner may have relied on this caller as long as it waited.
        if !isOwner { takeOver() }
        return isOwner
    }

    /// Parks the calling thread until an owner leaves, or some time has passed.
    ///
    /// - Returns: Whether it was woken.
    package func park(nanoseconds: UInt64) -> Bool {
        guard let expected = expectWakeUp() else { return false }
        return state.park(expecting: expected, nanoseconds: nanoseconds)
    }

    /// Makes the owner wake a parked caller when it leaves.
    ///
    /// - Returns: The state since, or nil if there is no owner.
    func expectWakeUp() -> UInt? {
        var old = state.load(ordering: .relaxed)
        while old & Self.owned != 0 {
            // Relaxed: it publishes nothing, and an update continues the release sequence of a cell. Also where the flag
            // is set already, so that the caller knows the most recent state.
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old | Self.parked, ordering: .relaxed)
            if exchanged { return old | Self.parked }
            old = current
        }
        return nil
    }

    /// Performs the work that an owner has offered, for no longer than the bound.
    func takeOver() {
        if reclaim() {
            becomeOwner()
            leaveSlowly()
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
                expected: old, desired: old & ~Self.flags | Self.owned | Self.parked, ordering: .acquiring)
            if exchanged { return true }
            old = current
        }
        return false
    }

    /// Becomes the owner if there is none and nothing is enqueued.
    @usableFromInline package func enterIfIdle() -> Bool {
        var patience = Patience()
        while true {
            // Read before the exchange is tried, because trying takes the cache line from the owner.
            switch state.load(ordering: .relaxed) {
            case Self.idle: if enter() { return true }
            case Self.tended: patience.waitBriefly()
            default: return false
            }
        }
    }
}
