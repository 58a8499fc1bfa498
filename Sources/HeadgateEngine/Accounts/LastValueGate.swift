import Synchronization

/// Brings the last value of a stream together with the demand for it: whoever comes second delivers, and nobody does
/// after the gate has been closed.
@usableFromInline package struct LastValueGate: ~Copyable {
    @usableFromInline package let marks = Atomic<UInt8>(0)

    @inlinable package init() {}

    @inlinable package static var isAskedFor: UInt8 { 1 }

    @inlinable package static var isReady: UInt8 { 2 }

    @inlinable package static var isClosed: UInt8 { 4 }

    /// Whether the value has been delivered, or nobody is there for it any more.
    @inlinable package var isClosed: Bool { marks.load(ordering: .acquiring) & Self.isClosed != 0 }

    /// Notes that somebody has asked for the value.
    ///
    /// - Returns: Whether the caller has to deliver it now.
    @inlinable package func ask() -> Bool { set(Self.isAskedFor) }

    /// Notes that the value is known.
    ///
    /// - Returns: Whether the caller has to deliver it now.
    @inlinable package func makeReady() -> Bool { set(Self.isReady) }

    @inlinable package func set(_ mark: UInt8) -> Bool {
        let (old, new) = marks.bitwiseOr(mark, ordering: .acquiringAndReleasing)
        return old != new && new == Self.isAskedFor | Self.isReady
    }

    /// Closes the gate behind the delivery.
    ///
    /// - Returns: Whether it was still open, so that the completion may follow.
    @inlinable package func finish() -> Bool {
        marks.bitwiseOr(Self.isClosed, ordering: .acquiringAndReleasing).oldValue & Self.isClosed == 0
    }

    /// Closes the gate for ever.
    ///
    /// - Returns: Whether it was open and no delivery is under way.
    @inlinable package func close() -> Bool {
        marks.bitwiseOr(Self.isClosed, ordering: .acquiringAndReleasing).oldValue < Self.isAskedFor | Self.isReady
    }
}
