import HeadgateCore
import HeadgateThread
import Synchronization

/// Admits one thread at a time: callers wait for their turn and do their own work.
///
/// It gives one order to everything that several threads may send to, or that may be sent to during its own delivery,
/// and keeps the stack flat. Passing through an idle drain costs one atomic exchange in and one out, and allocates
/// nothing.
///
/// No caller waits for long. A caller that is already inside a delivery, or has waited as long as `Patience` allows,
/// enqueues its work for the owner instead, which performs the list before it leaves. So two streams that feed each
/// other, or a sink that waits for a thread that is sending to it, slow each other down but never deadlock. An owner
/// that has performed the work of others for longer than the bound leaves the rest to a waiting caller.
@usableFromInline package struct Drain: ~Copyable {
    @usableFromInline package typealias Work = () -> Void

    /// A piece of work enqueued for the owner.
    // A closure is stored in a struct: see `Guarded`.
    package struct Job {
        let work: Work
    }

    // Zero while idle. Otherwise flags, and the owning thread if there is an owner.
    @usableFromInline package let state = Atomic<UInt>(0)

    /// The number of callers that wait for their turn.
    let waiting = Atomic<Int32>(0)

    /// What has been enqueued for the owner.
    ///
    /// The flag `enqueued` is set as long as there is something, and changes with it under the lock.
    package let jobs = Guarded(Queue<Job>())

    @inlinable package init() {}

    @inlinable static var idle: UInt { 0 }

    /// Without an owner and other flags: a caller changes the owner's state, in a few instructions without user code.
    @inlinable static var tended: UInt { 1 }

    /// Beside an owner only: it wakes a parked caller when it leaves.
    package static var parked: UInt { 2 }

    /// There is work for the owner, or without one, for a caller that waits.
    static var enqueued: UInt { 4 }

    @inlinable static var flags: UInt { 7 }

    /// Added to a thread's depth for the rest of a send from inside a delivery: the thread waits nowhere.
    @inlinable package static var nested: Int64 { 1 << 32 }

    /// Becomes the owner if there is none and nothing is enqueued.
    @inlinable @inline(__always) package func enter() -> Bool {
        guard state.compareExchange(expected: Self.idle, desired: headgate_thread(), ordering: .acquiring).exchanged
        else { return false }
        headgate_deepen(1)
        return true
    }

    /// Gives up ownership, after performing what was enqueued meanwhile.
    ///
    /// - Returns: Whether nothing was enqueued.
    @discardableResult @inlinable @inline(__always) package func leave() -> Bool {
        if state.compareExchange(expected: headgate_thread(), desired: Self.idle, ordering: .releasing).exchanged {
            headgate_deepen(-1)
            return true
        }
        leaveSlowly()
        return false
    }

    /// Does the work in the caller's turn, or enqueues it for the owner.
    @inlinable package func run(_ work: @escaping Work) {
        if enter() || waitForTurn() {
            work()
            leave()
        } else {
            postpone(work)
        }
    }

    /// Whether the calling thread is the owner.
    @inlinable package var isOwnedByCaller: Bool { state.load(ordering: .relaxed) & ~Self.flags == headgate_thread() }

    /// Whether the calling thread is the owner, nothing is enqueued, and no caller sleeps until it leaves.
    @inlinable package var isUndisturbed: Bool { state.load(ordering: .relaxed) == headgate_thread() }

    /// The number of enqueued pieces of work.
    package var backlog: Int {
        state.load(ordering: .relaxed) & Self.enqueued == 0 ? 0 : jobs.withLock { $0.count }
    }

    /// Enqueues work for the owner, or does it if there is none.
    @usableFromInline @inline(never) package func postpone(_ work: @escaping Work) {
        if !enter(), push(work) { return }
        work()
        leave()
    }

    /// Enqueues work for the owner, or becomes the owner if there is none.
    ///
    /// - Returns: Whether it was enqueued. If not, the caller has to do the work and leave.
    @usableFromInline package func push(_ work: @escaping Work) -> Bool {
        while !enterIfIdle() {
            let isEnqueued = jobs.withLock { jobs in
                let old = state.load(ordering: .relaxed)
                // Relaxed: the lock orders the work, and an update continues the release sequence of an owner that left.
                guard old > Self.tended,
                    state.compareExchange(expected: old, desired: old | Self.enqueued, ordering: .relaxed).exchanged
                else { return false }
                jobs.append(Job(work: work))
                return true
            }
            if isEnqueued { return true }
        }
        return false
    }

    /// Performs the enqueued work, oldest first, until there is none left or a waiting caller can continue; then
    /// leaves.
    @usableFromInline @inline(never) func leaveSlowly() {
        let deadline = headgate_nanoseconds() + Patience.bound
        repeat { performWhatWaits(until: deadline) } while !leaveToOthers()
    }

    /// Performs the enqueued work, oldest first, until there is none left, or the deadline has passed and a caller
    /// waits; stays the owner.
    @usableFromInline package func performWhatWaits(until deadline: UInt64 = .max) {
        while let work = next() {
            work()
            if waiting.load(ordering: .relaxed) > 0, headgate_nanoseconds() > deadline { return }
        }
    }

    /// Removes the oldest piece of work.
    func next() -> Work? {
        if state.load(ordering: .relaxed) & Self.enqueued == 0 { return nil }
        return jobs.withLock { jobs in
            let job = jobs.popFirst()
            if jobs.isEmpty {
                _ = state.bitwiseAnd(~Self.enqueued, ordering: .relaxed)
                // A long list may have been the only one.
                if jobs.ring.count > 64 { jobs = Queue() }
            }
            return job?.work
        }
    }

    /// Gives up ownership, and leaves work that is still enqueued to a caller that waits.
    ///
    /// - Returns: Whether the drain needs no owner now, or has another one. If not, the caller is the owner again.
    package func leaveToOthers() -> Bool {
        headgate_deepen(-1)
        let old = state.bitwiseAnd(Self.enqueued, ordering: .sequentiallyConsistent).oldValue
        if old & Self.parked != 0 { state.wakeOne() }
        // A caller that stopped waiting before this load may not have seen that there is no owner; one that stops later sees it.
        return old & Self.enqueued == 0 || waiting.load(ordering: .sequentiallyConsistent) > 0 || !takeOver()
    }
}

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
                behind: slows ? backlog : 0,
                park: { if park(nanoseconds: $0) { wasWoken = true } })
        {
            if takeOver() { leaveSlowly() }
            isOwner = enter()
        }
        if !isOwner { isOwner = !push() }
        waiting.subtract(1, ordering: .sequentiallyConsistent)
        if wasWoken, expectWakeUp() == nil { state.wakeOne() }
        // An owner may have relied on this caller as long as it waited.
        if !isOwner, takeOver() { leaveSlowly() }
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
        while old > Self.flags {
            // Relaxed: it publishes nothing, and an update continues a release sequence. Also where the flag
            // is set already, so that the caller knows the most recent state.
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old | Self.parked, ordering: .relaxed)
            if exchanged { return old | Self.parked }
            old = current
        }
        return nil
    }

    /// Becomes the owner if work was left to the callers that wait.
    func takeOver() -> Bool {
        guard state.load(ordering: .sequentiallyConsistent) == Self.enqueued,
            state.compareExchange(
                expected: Self.enqueued, desired: headgate_thread() | Self.enqueued | Self.parked, ordering: .acquiring
            ).exchanged
        else { return false }
        headgate_deepen(1)
        return true
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
