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
    struct Cell {
        let work: Work
        var next: UInt
    }

    // Zero while idle. Otherwise flags, and while owned or offered the address of the newest cell.
    @usableFromInline package let state = Atomic<UInt>(0)

    // The owning thread, so that it recognises itself.
    @usableFromInline package let owner = Atomic<UInt>(0)

    // The oldest of the cells that an owner has dequeued but not performed; belongs to the owner.
    let pending = Atomic<UInt>(0)

    /// The number of callers that wait for their turn.
    let waiting = Atomic<Int32>(0)

    /// The number of enqueued cells.
    package let backlog = Atomic<Int32>(0)

    @inlinable package init() {}

    @inlinable static var idle: UInt { 0 }

    /// There is an owner, which alone does the work.
    @inlinable static var owned: UInt { 1 }

    /// A caller changes the owner's state, in a few instructions without user code.
    @inlinable static var tended: UInt { 2 }

    /// There is work, which the last owner has left to a waiting caller.
    static var offered: UInt { 4 }

    /// Beside `owned`: the owner wakes a parked caller when it leaves.
    ///
    /// The bit of `tended`, which is never beside `owned`: addresses of cells leave no fourth one on all systems.
    package static var parked: UInt { tended }

    static var flags: UInt { 7 }

    /// Added to a thread's depth for the rest of a send from inside a delivery: the thread waits nowhere.
    @inlinable package static var nested: Int64 { 1 << 32 }

    /// Becomes the owner if there is none and nothing is enqueued.
    @inlinable @inline(__always) package func enter() -> Bool {
        guard state.compareExchange(expected: Self.idle, desired: Self.owned, ordering: .acquiring).exchanged else {
            return false
        }
        becomeOwner()
        return true
    }

    @inlinable @inline(__always) func becomeOwner() {
        owner.store(headgate_thread(), ordering: .relaxed)
        headgate_deepen(1)
    }

    /// Gives up ownership, after performing what was enqueued meanwhile.
    ///
    /// - Returns: Whether nothing was enqueued.
    @discardableResult @inlinable @inline(__always) package func leave() -> Bool {
        owner.store(0, ordering: .relaxed)
        if state.compareExchange(expected: Self.owned, desired: Self.idle, ordering: .releasing).exchanged {
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
    @inlinable package var isOwnedByCaller: Bool { owner.load(ordering: .relaxed) == headgate_thread() }

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
        let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
        cell.initialize(to: Cell(work: work, next: 0))
        // Counted before an owner can see the cell, which subtracts it: the count is never negative.
        backlog.add(1, ordering: .relaxed)
        while !enterIfIdle() {
            let old = state.load(ordering: .relaxed)
            guard old & (Self.owned | Self.offered) != 0 else { continue }
            cell.pointee.next = old & ~Self.flags
            if state.compareExchange(
                expected: old, desired: UInt(bitPattern: cell) | old & Self.flags, ordering: .releasing
            ).exchanged {
                return true
            }
        }
        backlog.subtract(1, ordering: .relaxed)
        Self.release(cell)
        return false
    }

    static func release(_ cell: UnsafeMutablePointer<Cell>) {
        cell.deinitialize(count: 1)
        cell.deallocate()
    }
}

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
    @usableFromInline package func performWhatWaits(until deadline: UInt64 = .max) {
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
