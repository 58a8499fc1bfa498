import HeadgateThread
import Synchronization

// What a subject needs beside: it is sent to from anywhere, and subscribed to while it delivers.
extension Drain {
    /// Whether the calling thread is inside a delivery of any stream.
    @inlinable package static var isInsideDelivery: Bool { headgate_depth() != 0 }

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
            if state.load(ordering: .relaxed) > Self.tended { return false }
            patience.waitBriefly()
        }
        return true
    }
}
