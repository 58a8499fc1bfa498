/// The values in the queues of one or several conduits.
public struct QueuedValues: Equatable {
    /// How many wait now.
    @usableFromInline package var waiting = 0

    /// How many have been dropped because there was no room, or because they had waited too long.
    @usableFromInline package var dropped = 0

    @inlinable package init(waiting: Int = 0, dropped: Int = 0) {
        self.waiting = waiting
        self.dropped = dropped
    }

    @inlinable package static func + (left: Self, right: Self) -> Self {
        Self(waiting: left.waiting + right.waiting, dropped: left.dropped + right.dropped)
    }
}
