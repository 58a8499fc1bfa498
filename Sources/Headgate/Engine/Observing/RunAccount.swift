import HeadgateEngine
import Synchronization

/// What an observer counts of one run of a stream: the outstanding demand and the values.
@usableFromInline package final class RunAccount {
    @usableFromInline package let outstanding = OutstandingDemand()

    /// Returns the time since the subscription.
    @usableFromInline package let elapsed: () -> Duration

    // Written only by deliveries, which are serial.
    @usableFromInline package let delivered = Atomic(0)

    @inlinable package init(_ elapsed: @escaping () -> Duration) { self.elapsed = elapsed }

    /// The number of values so far.
    package var values: Int { delivered.load(ordering: .relaxed) }

    /// Records requested values.
    ///
    /// - Returns: Whether there is anything to record and the run is active.
    @usableFromInline package func add(_ demand: Subscribers.Demand) -> Bool {
        outstanding.add(demand) != nil
    }

    /// Records a value that is about to be delivered.
    @inlinable @inline(__always) package func takeOne() {
        if !outstanding.isUnlimited { _ = outstanding.takeOne() }
        delivered.store(delivered.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Ends the run.
    ///
    /// - Returns: The outstanding demand.
    package func close() -> Subscribers.Demand { outstanding.close() ?? .none }
}
