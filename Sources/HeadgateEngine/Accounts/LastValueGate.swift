import Synchronization

/// Brings the one value that a stream ends with together with the demand for it: whoever comes second delivers, and nobody
/// does after the gate has been closed.
@usableFromInline package struct LastValueGate: ~Copyable {
    /// What whoever brings the value has to do.
    @usableFromInline package enum Turn {
        case deliver
        /// Keep the value for whoever requests it.
        case wait
        /// Release the value: nobody is there for it any more.
        case release
    }

    @usableFromInline package let marks: Atomic<UInt8>

    /// Makes a gate.
    ///
    /// - Parameter isReady: Whether the value is there already.
    @inlinable package init(isReady: Bool = false) { marks = Atomic(isReady ? Self.isReady : 0) }

    @inlinable package static var isRequested: UInt8 { 1 }

    @inlinable package static var isReady: UInt8 { 2 }

    @inlinable package static var isClosed: UInt8 { 4 }

    /// Whether the value has been delivered, or nobody is there for it any more.
    @inlinable package var isClosed: Bool { marks.load(ordering: .acquiring) & Self.isClosed != 0 }

    /// Notes that somebody has requested the value.
    ///
    /// - Returns: Whether the caller has to deliver it now.
    @inlinable package func request() -> Bool { mark(Self.isRequested) == Self.isReady }

    /// Notes, once at most, that the value is there.
    @inlinable package func makeReady() -> Turn {
        let old = mark(Self.isReady)
        if old & Self.isClosed != 0 { return .release }
        return old == Self.isRequested ? .deliver : .wait
    }

    /// Closes the gate after the delivery, or for an end that needs no demand.
    ///
    /// - Returns: Whether it was still open, so that the completion may follow.
    @inlinable package func finish() -> Bool { mark(Self.isClosed) & Self.isClosed == 0 }

    /// Closes the gate, because the subscriber has cancelled.
    ///
    /// - Returns: Whether it was open and no delivery is under way; and then, whether the caller has to release the value.
    @inlinable package func close() -> (isFirst: Bool, hasValue: Bool) {
        let old = mark(Self.isClosed)
        return (old < Self.isRequested | Self.isReady, old == Self.isReady)
    }

    @inlinable package func mark(_ mark: UInt8) -> UInt8 {
        marks.bitwiseOr(mark, ordering: .acquiringAndReleasing).oldValue
    }
}
