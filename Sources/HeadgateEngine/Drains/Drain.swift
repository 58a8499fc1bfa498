import HeadgateCore
import HeadgateThread
import Synchronization

/// Admits one thread at a time: callers wait for their turn and do their own work.
///
/// It gives one order to everything that several threads may send to, or that may be sent to during its own delivery,
/// and keeps the stack flat. Passing through an idle drain costs one atomic exchange in and one out, and allocates
/// nothing.
///
/// No caller waits for long. A caller that is already inside a delivery, or has waited as long as `BoundedWait` allows,
/// enqueues its work for the owner instead, which performs the list before it leaves. So two streams that feed each
/// other, or a sink that waits for a thread that is sending to it, slow each other down but never deadlock. An owner
/// that has performed the work of others for longer than the bound leaves the rest to a waiting caller.
@usableFromInline package struct Drain: ~Copyable {
    @usableFromInline package typealias Work = () -> Void

    /// A piece of work enqueued for the owner.
    // A closure is stored in a struct: see `Guarded`.
    package struct Job { let work: Work }

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

    /// Without an owner and other flags: a visitor changes the owner's state, in a few instructions without user code.
    @inlinable static var visited: UInt { 1 }

    /// Beside an owner only: it wakes the parked callers when it leaves.
    package static var parked: UInt { 2 }

    /// There is work for the owner, or without one, for a caller that waits.
    static var enqueued: UInt { 4 }

    /// Beside an owner only: it has performed the work of others for long, and nobody has waited for it.
    static var overdue: UInt { 8 }

    @inlinable static var flags: UInt { 15 }

    /// Added to a thread's depth for the rest of a send from inside a delivery: the thread waits only for
    /// an owner that is overdue.
    @inlinable package static var nested: Int64 { 1 << 32 }

    /// Becomes the owner if there is none and nothing is enqueued.
    @inlinable @inline(__always) package func enter() -> Bool { enter(from: Self.idle) }

    @inlinable @inline(__always) func enter(from old: UInt) -> Bool {
        guard state.compareExchange(expected: old, desired: headgate_thread() | old, ordering: .acquiring).exchanged
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
        if push(work) { return }
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
                guard old > Self.visited,
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
        let deadline = headgate_nanoseconds() + BoundedWait.bound
        repeat { performWhatWaits(until: deadline) } while !leaveToOthers()
    }

    /// Performs the enqueued work, oldest first, until there is none left, or the deadline has passed and a caller
    /// waits; stays the owner.
    @usableFromInline package func performWhatWaits(until deadline: UInt64 = .max) {
        var performed = 0
        while let work = next() {
            work()
            performed += 1
            if waiting.load(ordering: .relaxed) > 0 {
                if headgate_nanoseconds() > deadline { return }
            } else if performed > 2, performed & (performed - 1) == 0 {
                // Not after each piece of work, most of which take less time than a look at the clock.
                callSenders(after: deadline)
            }
        }
    }

    /// Has senders from inside deliveries wait, too, if the caller has been busy for long: it is not their thread that is slow,
    /// and what they enqueue may never end.
    @inline(never) func callSenders(after deadline: UInt64) {
        if deadline < .max, headgate_nanoseconds() > deadline + BoundedWait.patience {
            _ = state.bitwiseOr(Self.overdue, ordering: .relaxed)
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
                if jobs.capacity > 64 { jobs = Queue() }
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
        if old & Self.parked != 0 { state.wakeAll() }
        // A caller that stopped waiting before this load may not have seen that there is no owner; one that stops later sees it.
        return old & Self.enqueued == 0 || waiting.load(ordering: .sequentiallyConsistent) > 0 || !takeOver()
    }
}

// How a caller waits for its turn: it looks, parks, is woken by an owner that leaves, and looks again.
//
// A caller parks at the state, after setting the flag `parked` in it while there is an owner. Whoever clears the flag
// wakes all that sleep, after the change. So a caller that is about to sleep either finds the state changed, or sleeps
// before the wake-up: the system compares the word and enqueues the thread in one step. No fence is needed for that, since
// the flag and what clears it are in one word, whose changes have one order.
extension Drain {
    /// Waits for the caller's turn to send something: longer if work has been enqueued already, so that senders which together
    /// are faster than a sink are slowed to its pace.
    ///
    /// Not if it is the owner itself. And not during a send from inside a delivery, since another thread may be sending
    /// the other way, unless the owner is overdue: then that ends with the bound. All other waits point downstream, and so
    /// never form a cycle.
    ///
    /// - Returns: Whether the caller is the owner now. If not, it has to enqueue its work with `postpone`.
    @usableFromInline @inline(never) package func waitForTurn() -> Bool {
        if isOwnedByCaller || headgate_depth() >= Self.nested && !isOverdue { return enterIfIdle() }
        // Relaxed: an owner that doesn't see it yet goes on by itself.
        waiting.add(1, ordering: .relaxed)
        var wait = BoundedWait()
        var isOwner = enterIfIdle()
        while !isOwner, wait.goesOn(behind: backlog, park: { park(nanoseconds: $0) }) {
            if takeOver() { leaveSlowly() }
            isOwner = enterIfIdle()
        }
        waiting.subtract(1, ordering: .sequentiallyConsistent)
        // An owner may have relied on this caller as long as it waited.
        if !isOwner, takeOver() { leaveSlowly() }
        return isOwner
    }

    /// Whether the owner has performed the work of others for long, and nobody has waited for it.
    var isOverdue: Bool { state.load(ordering: .relaxed) & Self.overdue != 0 }

    /// Waits for the caller's turn to subscribe, request or cancel, and performs nothing that has been left to callers that wait.
    ///
    /// - Returns: Whether the caller is the owner now.
    @usableFromInline @inline(never) package func waitToChange() -> Bool {
        if isOwnedByCaller || headgate_depth() >= Self.nested { return enterIfIdle() }
        var wait = BoundedWait()
        var isOwner = enterIfIdle()
        while !isOwner, wait.goesOn(behind: 0, park: { park(nanoseconds: $0) }) { isOwner = enterIfIdle() }
        return isOwner
    }

    /// Sleeps until an owner leaves, or some time has passed.
    func park(nanoseconds: UInt64) {
        let old = state.load(ordering: .relaxed)
        // Relaxed: it publishes nothing, and an update continues a release sequence.
        guard old > Self.flags,
            state.compareExchange(expected: old, desired: old | Self.parked, ordering: .relaxed).exchanged
        else { return }
        state.park(expecting: old | Self.parked, nanoseconds: nanoseconds)
    }

    /// Becomes the owner if work was left to the callers that wait.
    func takeOver() -> Bool {
        state.load(ordering: .sequentiallyConsistent) == Self.enqueued && enter(from: Self.enqueued)
    }

    /// Becomes the owner if there is none and nothing is enqueued.
    @usableFromInline package func enterIfIdle() -> Bool {
        guard claim(for: headgate_thread()) else { return false }
        headgate_deepen(1)
        return true
    }

    /// Sets the state if it is idle; waits for visitors.
    @usableFromInline @inline(never) func claim(for claimant: UInt) -> Bool {
        var looks = 0
        // Read before the exchange is tried, because trying takes the cache line from the owner.
        while case let old = state.load(ordering: .relaxed), old <= Self.visited {
            if old == Self.idle,
                state.compareExchange(expected: Self.idle, desired: claimant, ordering: .acquiring).exchanged
            {
                return true
            }
            looks += 1
            if looks <= 200 { headgate_pause() } else { headgate_yield() }
        }
        return false
    }
}

// What a subject needs beside: it is sent to from anywhere, and subscribed to while it delivers.
extension Drain {
    /// Whether the calling thread is inside a delivery of any stream.
    @inlinable package static var isInsideDelivery: Bool { headgate_depth() != 0 }

    /// What a send adds to the thread's depth.
    @inlinable @inline(__always) static var depthOfSend: Int64 { isInsideDelivery ? nested : 0 }

    /// Sends something: during a send from inside a delivery, the thread waits only for an owner that is overdue.
    @inlinable @inline(__always) package static func send<Result>(_ body: () -> Result) -> Result {
        let depth = depthOfSend
        headgate_deepen(depth)
        defer { headgate_deepen(-depth) }
        return body()
    }

    /// Forwards an upstream's value into a subject: the thread waits for its turn there, as everywhere downstream.
    ///
    /// Not during a send from inside a delivery, which may point upstream.
    @inlinable @inline(__always) package static func forward(_ send: () -> Void) {
        let depth = headgate_depth() < nested ? headgate_depth() : 0
        headgate_deepen(-depth)
        send()
        headgate_deepen(depth)
    }

    /// Changes the owner's state if there is no owner, in a few instructions without user code.
    ///
    /// No work is ever enqueued for a caller of this, so subscribing and cancelling never mean delivering for others.
    ///
    /// - Returns: Whether the change was made. If not, it has to be enqueued with `postpone`.
    @inlinable @inline(__always) package func whileIdle(_ change: () -> Void) -> Bool {
        guard claim(for: Self.visited) else { return false }
        change()
        state.store(Self.idle, ordering: .releasing)
        return true
    }
}
