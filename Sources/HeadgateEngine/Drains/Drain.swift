import HeadgateThread
import Synchronization

/// Lets one thread at a time through: callers wait for their turn and do their own work.
///
/// This is how everything that can be sent to by several threads, or from inside its own delivery, keeps one order and
/// stays flat. Passing through an idle drain costs one atomic exchange in and one out, and allocates nothing.
///
/// Nobody waits for long. A caller that is already inside a delivery, or has waited as long as `Patience` allows, leaves
/// its work to the owner instead: a linked list, which the owner performs before it leaves. So two streams that feed each other, or
/// a sink that waits for a thread that is sending to it, slow each other down and never stop. An owner that the work of
/// others has kept for longer than the bound leaves the rest to a caller who waits.
@usableFromInline package struct Drain: ~Copyable {
    @usableFromInline package typealias Work = () -> Void

    /// Work that was left to the owner.
    struct Cell {
        let work: Work
        var next: UInt
    }

    // Zero while idle. Otherwise flags, and while owned or offered the address of the newest cell.
    @usableFromInline package let state = Atomic<UInt>(0)

    // The thread that owns the drain, for that thread to recognise itself.
    @usableFromInline package let owner = Atomic<UInt>(0)

    // The oldest of the cells that an owner has taken out and not performed; belongs to the owner.
    let pending = Atomic<UInt>(0)

    let waiting = Atomic<Int>(0)

    /// How many cells there are.
    let backlog = Atomic<Int>(0)

    @inlinable package init() {}

    @inlinable static var idle: UInt { 0 }

    /// Somebody does work, and no one else may.
    @inlinable static var owned: UInt { 1 }

    /// Somebody changes what belongs to the owner, in a few instructions, none of them foreign.
    @inlinable static var tended: UInt { 2 }

    /// There is work, and the last owner has left it to a caller who waits.
    static var offered: UInt { 4 }

    static var flags: UInt { 7 }

    /// How much deeper a thread is for the rest of a send from inside a delivery: it waits nowhere.
    @inlinable package static var nested: Int64 { 1 << 32 }

    /// Whether the calling thread is inside a delivery of any stream.
    @inlinable package static var isInsideDelivery: Bool { headgate_depth() != 0 }

    /// Becomes the owner, if there is nobody and nothing to do.
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

    /// Stops being the owner, after performing what was left meanwhile.
    ///
    /// - Returns: Whether nothing was left.
    @discardableResult
    @inlinable @inline(__always) package func leave() -> Bool {
        owner.store(0, ordering: .relaxed)
        if state.compareExchange(expected: Self.owned, desired: Self.idle, ordering: .releasing).exchanged {
            headgate_deepen(-1)
            return true
        }
        performWaiting()
        return false
    }

    /// Does work in the caller's turn, or leaves it to the owner.
    @inlinable package func run(_ work: @escaping Work) {
        if enter() || waitForTurn() {
            work()
            leave()
        } else {
            postpone(work)
        }
    }

    /// Does work if nobody else is at work, or else leaves it to the owner.
    @inlinable package func runOrPostpone(_ work: @escaping Work) {
        if enter() {
            work()
            leave()
        } else {
            postpone(work)
        }
    }

    /// Whether the calling thread is the owner.
    @inlinable package var isOwnedByCaller: Bool { owner.load(ordering: .relaxed) == headgate_thread() }

    /// Begins a send.
    ///
    /// For the length of one from inside a delivery, the thread waits nowhere.
    ///
    /// - Returns: Whether the send is from inside a delivery.
    @inlinable @inline(__always) package static func beginSending() -> Bool {
        let isInside = isInsideDelivery
        if isInside { headgate_deepen(nested) }
        return isInside
    }

    @inlinable @inline(__always) package static func endSending(_ isInside: Bool) {
        if isInside { headgate_deepen(-nested) }
    }

    /// Sends into a subject what an upstream has sent: the thread waits for its turn there, as everywhere downstream.
    ///
    /// Not inside a send that somebody makes inside a delivery, for that may point the other way.
    @inlinable @inline(__always) package static func passOn(_ send: () -> Void) {
        let depth = headgate_depth()
        let hides = depth < nested
        if hides { headgate_deepen(-depth) }
        send()
        if hides { headgate_deepen(depth) }
    }

    /// Waits for the caller's turn, to pass on what an upstream has sent.
    ///
    /// - Parameter slows: Whether the caller brings a value, and waits for longer where others wait already.
    /// - Returns: Whether the caller is the owner now. If not, it has to leave its work by `postpone`.
    @usableFromInline @inline(never) package func waitForTurn(slows: Bool = false) -> Bool {
        contend(mayWait: mayPassOn, slows: slows, enter: { enterIfIdle() }, push: { true })
    }

    /// Whether the calling thread may wait here for its turn to pass on what an upstream has sent.
    ///
    /// Not where it is itself the owner. And not for the length of a send from inside a delivery, for another thread may
    /// be sending the other way. All other waits point downstream, and so never in a circle.
    @usableFromInline package var mayPassOn: Bool {
        headgate_depth() < Self.nested && !isOwnedByCaller
    }

    /// Takes the caller's turn or leaves its work, where either has to be one step with something else.
    ///
    /// - Parameters:
    ///   - slows: Whether the caller brings a value, and waits for longer where others wait already.
    ///   - enter: Calls `enterIfIdle`, and answers as that does.
    ///   - push: Calls `push`, and answers as that does.
    /// - Returns: Whether the caller is the owner now and has to do the work. If not, the work has been left.
    @usableFromInline @inline(never) package func contend(
        mayWait: Bool, slows: Bool, enter: () -> Bool, push: () -> Bool
    ) -> Bool {
        if !mayWait { return enter() || !push() }
        waiting.add(1, ordering: .sequentiallyConsistent)
        var patience = Patience()
        var isOwner = enter()
        while !isOwner, patience.wait(behind: slows ? backlog.load(ordering: .relaxed) : 0) {
            takeOver()
            isOwner = enter()
        }
        if !isOwner { isOwner = !push() }
        waiting.subtract(1, ordering: .sequentiallyConsistent)
        // An owner may have relied on this caller, as long as it waited.
        if !isOwner { takeOver() }
        return isOwner
    }

    /// Becomes the owner, if there is none and nothing to do.
    @usableFromInline package func enterIfIdle() -> Bool {
        var patience = Patience()
        while true {
            // Looked at before it is tried, for a try takes the word away from the owner.
            switch state.load(ordering: .relaxed) {
            case Self.idle: if enter() { return true }
            case Self.tended: patience.waitBriefly()
            default: return false
            }
        }
    }

    /// Leaves work to the owner; does it, if there is none.
    @usableFromInline @inline(never) package func postpone(_ work: @escaping Work) {
        if push(work) { return }
        work()
        leave()
    }

    /// Leaves work to the owner, or becomes the owner if there is none.
    ///
    /// - Returns: Whether it was left. If not, the caller has to do the work and leave.
    @usableFromInline package func push(_ work: @escaping Work) -> Bool {
        let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
        cell.initialize(to: Cell(work: work, next: 0))
        while !enterIfIdle() {
            let old = state.load(ordering: .relaxed)
            guard old & (Self.owned | Self.offered) != 0 else { continue }
            cell.pointee.next = old & ~Self.flags
            if state.compareExchange(
                expected: old, desired: UInt(bitPattern: cell) | old & Self.flags, ordering: .acquiringAndReleasing
            ).exchanged {
                backlog.add(1, ordering: .relaxed)
                return true
            }
        }
        Self.release(cell)
        return false
    }

    static func release(_ cell: UnsafeMutablePointer<Cell>) {
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    /// Changes what belongs to the owner, if there is none: in a few instructions, none of them foreign.
    ///
    /// Nobody leaves work to a caller of this, so that to subscribe and to cancel never means to deliver for others.
    ///
    /// - Returns: Whether the change was made. If not, it has to be left by `postpone`.
    @inlinable @inline(__always) package func tend(_ change: () -> Void) -> Bool {
        if !state.compareExchange(expected: Self.idle, desired: Self.tended, ordering: .acquiring).exchanged {
            if !tendLater() { return false }
        }
        change()
        state.store(Self.idle, ordering: .releasing)
        return true
    }

    @usableFromInline @inline(never) func tendLater() -> Bool {
        var patience = Patience()
        while !state.compareExchange(expected: Self.idle, desired: Self.tended, ordering: .acquiring).exchanged {
            if state.load(ordering: .relaxed) & ~Self.tended != 0 { return false }
            patience.waitBriefly()
        }
        return true
    }

    /// Performs what an owner has offered, as far as that takes no longer than the bound.
    func takeOver() {
        if reclaim() {
            becomeOwner()
            performWaiting()
        }
    }

    /// Ends an offer.
    ///
    /// - Returns: Whether there was one. If so, the drain belongs to the caller now.
    func reclaim() -> Bool {
        var old = state.load(ordering: .sequentiallyConsistent)
        while old & Self.offered != 0 {
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old & ~Self.flags | Self.owned, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            old = current
        }
        return false
    }

    /// Performs what waits, oldest first, until there is nothing more or a caller who waits can go on; then leaves.
    @usableFromInline @inline(never) func performWaiting() {
        let deadline = headgate_nanoseconds() + Patience.bound
        repeat {
            owner.store(headgate_thread(), ordering: .relaxed)
            performRounds(until: deadline)
            owner.store(0, ordering: .relaxed)
        } while !(pending.load(ordering: .relaxed) == 0 ? exit() : offer())
        headgate_deepen(-1)
    }

    /// Performs what was left meanwhile, and stays the owner.
    package func performWhatWaits() {
        if state.load(ordering: .relaxed) != Self.owned { performRounds(until: .max) }
    }

    /// Stops being the owner, unless work has been left.
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
        state.compareExchange(expected: Self.owned, desired: Self.idle, ordering: .acquiringAndReleasing).exchanged
    }

    /// Performs what waits, oldest first, until there is nothing more, or somebody waits and it is too late.
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
            let newest = state.exchange(Self.owned, ordering: .acquiringAndReleasing) & ~Self.flags
            if newest == 0 { return }
            pending.store(Self.reversed(newest), ordering: .relaxed)
        }
    }

    /// Turns cells round, for the newest comes first.
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

    /// Leaves what there is to do to a caller who waits.
    ///
    /// - Returns: Whether somebody waits. If not, the drain belongs to the caller as before.
    func offer() -> Bool {
        var old = state.load(ordering: .relaxed)
        while true {
            let (exchanged, current) = state.compareExchange(
                expected: old, desired: old & ~Self.flags | Self.offered, ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = current
        }
        // Whoever has stopped waiting before this look has not seen the offer; whoever does so later, sees it.
        return waiting.load(ordering: .sequentiallyConsistent) > 0 || !reclaim()
    }
}
