import HeadgateCore
import Synchronization

/// What a subscriber under stress has requested and cancelled, without any lock that would order its calls.
final class StressAccount: Sendable {
    private let outstanding = Atomic(0)
    private let cancellations = Atomic(0)

    /// How often the subscriber has cancelled.
    var cancelCount: Int { cancellations.load(ordering: .acquiring) }

    var isCancelled: Bool { cancelCount > 0 }

    /// Adds demand, and publishes what the subscriber has written before to the delivery.
    func add(_ demand: Subscribers.Demand) { outstanding.add(demand.max ?? 1 << 40, ordering: .releasing) }

    func cancel() { cancellations.add(1, ordering: .acquiringAndReleasing) }

    /// Takes the demand for one value.
    ///
    /// - Returns: Whether there was any.
    func takeOne() -> Bool {
        if outstanding.load(ordering: .acquiring) == 0 { return false }
        // Only the publisher takes demand, one call at a time.
        outstanding.subtract(1, ordering: .acquiringAndReleasing)
        return true
    }
}

/// The subscription of a subscriber under stress.
final class StressSubscription: Subscription {
    private let account: StressAccount

    init(_ account: StressAccount) { self.account = account }

    func request(_ demand: Subscribers.Demand) { account.add(demand) }
    func cancel() { account.cancel() }
}
