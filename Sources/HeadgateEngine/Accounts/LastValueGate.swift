import Synchronization

/// Matches the single value of a stream with the demand for it: whichever arrives second triggers the delivery, and
/// nothing does after the gate has been closed.
@usableFromInline package struct LastValueGate: ~Copyable {
    /// What the caller that provides the value has to do.
    @usableFromInline package enum Turn {
        case deliver
        /// Keep the value until it is requested.
        case wait
        /// Release the value: the gate is closed.
        case release
    }

    @usableFromInline package let marks: Atomic<UInt8>

    /// Creates a gate.
    ///
    /// - Parameter isReady: Whether the value is available already.
    @inlinable package init(isReady: Bool = false) { marks = Atomic(isReady ? Self.isReady : 0) }

    @inlinable package static var isRequested: UInt8 { 1 }

    @inlinable package static var isReady: UInt8 { 2 }

    @inlinable package static var isClosed: UInt8 { 4 }

    /// Whether the value has been delivered, or the gate closed without it.
    @inlinable package var isClosed: Bool { marks.load(ordering: .acquiring) & Self.isClosed != 0 }

    /// Records that the value has been requested.
    ///
    /// - Returns: Whether the caller has to deliver it now.
    @inlinable package func request() -> Bool { mark(Self.isRequested) == Self.isReady }

    /// Records that the value is available; called at most once.
    @inlinable package func makeReady() -> Turn {
        let old = mark(Self.isReady)
        if old & Self.isClosed != 0 { return .release }
        return old == Self.isRequested ? .deliver : .wait
    }

    /// Closes the gate after the delivery, or for a completion that needs no demand.
    ///
    /// - Returns: Whether it was still open, so that the completion may follow.
    @inlinable package func finish() -> Bool { mark(Self.isClosed) & Self.isClosed == 0 }

    /// Closes the gate because the subscriber has cancelled.
    ///
    /// - Returns: Whether it was open with no delivery under way, and whether the caller then has to release the value.
    @inlinable package func close() -> (isFirst: Bool, hasValue: Bool) {
        let old = mark(Self.isClosed)
        return (old < Self.isRequested | Self.isReady, old == Self.isReady)
    }

    @inlinable package func mark(_ mark: UInt8) -> UInt8 {
        marks.bitwiseOr(mark, ordering: .acquiringAndReleasing).oldValue
    }
}
