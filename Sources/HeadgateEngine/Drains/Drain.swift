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

    /// Whether the calling thread is inside a delivery of any stream.
    @inlinable package static var isInsideDelivery: Bool { headgate_depth() != 0 }

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

    /// Does the work if there is no owner, or else enqueues it for the owner.
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
    /// During a send from inside a delivery, the thread waits nowhere.
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

    /// Forwards an upstream's value into a subject: the thread waits for its turn there, as everywhere downstream.
    ///
    /// Not during a send from inside a delivery, which may point upstream.
    @inlinable @inline(__always) package static func forward(_ send: () -> Void) {
        let depth = headgate_depth()
        let hides = depth < nested
        if hides { headgate_deepen(-depth) }
        send()
        if hides { headgate_deepen(depth) }
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

    /// Changes the owner's state if there is no owner, in a few instructions without user code.
    ///
    /// No work is ever enqueued for a caller of this, so subscribing and cancelling never mean delivering for others.
    ///
    /// - Returns: Whether the change was made. If not, it has to be enqueued with `postpone`.
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
}
