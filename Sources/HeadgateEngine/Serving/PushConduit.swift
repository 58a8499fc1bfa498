import HeadgateCore

/// Serves one subscriber from a source that sends on its own: delivers what it sends while there is demand, and drops
/// what it sends while there is none.
///
/// The source is started at the first demand and stopped at the end, upon `cancel()`, or when the subscription is
/// released. It may push on any thread; a `Drain` serializes starting, deliveries and stopping.
// All state belongs to the drain's owner. Whether a value may change threads is up to the source.
@usableFromInline
package final class PushConduit<Output, Failure: Error>: ConduitSubscription, SignalHandling,
    @unchecked Sendable
{
    @usableFromInline package enum Source {
        /// Not yet started. Starting returns how to stop. The source should hold the conduit weakly.
        case idle(start: (PushConduit) -> () -> Void)
        case running(stop: () -> Void)
        case stopped
    }

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline let counts = QueueCounts.register()

    @usableFromInline package let drain = Drain()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var source: Source

    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// How many values remain to be delivered before the stream finishes.
    @exclusivity(unchecked) @usableFromInline package var remaining: Subscribers.Demand

    @usableFromInline package let name: StaticString

    /// Creates the conduit, to be sent downstream as the subscription.
    ///
    /// - Parameters:
    ///   - limit: The number of values after which the stream finishes.
    ///   - start: Starts the source and returns how to stop it.
    @inlinable package init(
        name: StaticString, limit: Subscribers.Demand = .unlimited, to downstream: some Subscriber<Output, Failure>,
        start: @escaping (PushConduit) -> () -> Void
    ) {
        self.name = name
        self.remaining = limit
        self.downstream = Downstream(AnySubscriber(downstream))
        source = .idle(start: start)
        super.init(handle: PushConduit.handling)
    }

    @inlinable deinit { stop() }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { drain.postpone { self.start() } }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() != nil { drain.postpone { self.end(nil) } }
    }

    /// Delivers a value if there is demand.
    @inlinable package func push(_ value: Output) {
        if drain.enter() || drain.waitForTurn() {
            deliver(value)
            drain.leave()
        } else {
            drain.postpone { self.deliver(value) }
        }
    }

    /// Completes the stream.
    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) { drain.run { self.end(completion) } }

    @inlinable package func start() {
        if case .idle(let start) = source { source = .running(stop: start(self)) }
    }

    @inlinable package func deliver(_ value: Output) {
        if !downstream.isThere { return }
        if !outstanding.takeOne() { return noteDrop() }
        remaining -= 1
        outstanding.add(downstream.receive(value))
        if remaining == .none { end(.finished) }
    }

    @inlinable func noteDrop() {
        if !outstanding.isClosed { counts?.drop() }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>?) {
        stop()
        guard let receiveCompletion = downstream.release() else { return }
        if outstanding.close() != nil, let completion { receiveCompletion(completion) }
    }

    @inlinable package func stop() {
        let source = exchange(&self.source, with: .stopped)
        if case .running(let stop) = source { stop() }
    }

    @usableFromInline package override var description: String { name.description }
}
