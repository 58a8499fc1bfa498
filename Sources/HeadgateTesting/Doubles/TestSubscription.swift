import HeadgateCore

/// A subscription sent by a test publisher.
public final class TestSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible, @unchecked Sendable
{
    // The connection and the records have locks of their own.

    private struct State {
        var requested = Subscribers.Demand.none
        var cancelCount = 0
    }

    private let state = Guarded(State())
    private let connection: TestConnection<Output, Failure>?

    init(_ connection: TestConnection<Output, Failure>?) { self.connection = connection }

    deinit { connection?.abandon() }

    /// The total demand requested from this subscription.
    public var requested: Subscribers.Demand { state.withLock { $0.requested } }

    /// How often this subscription was cancelled.
    public var cancelCount: Int { state.withLock { $0.cancelCount } }

    /// Records the demand and forwards it to the publisher, if this is the subscriber's first subscription.
    public func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.requested += demand }
        connection?.request(demand)
    }

    /// Records the cancellation and forwards it to the publisher, if this is the subscriber's first subscription.
    public func cancel() {
        state.withLock { $0.cancelCount += 1 }
        connection?.cancel()
    }

    /// A description of this value.
    public var description: String { "TestPublisher" }
}
