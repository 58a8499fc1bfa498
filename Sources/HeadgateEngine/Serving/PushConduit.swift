import HeadgateCore

/// Serves one subscriber from something that happens by itself: delivers what happens while values are asked for, and
/// lets go by what happens while they are not.
///
/// The source is started at the first demand and stopped at the end, at `cancel()`, or when the subscription is let go
/// of. It may push from any thread; a `Drain` keeps starting, deliveries and stopping apart.
// All state belongs to the owner of the drain. Whether a value may change threads is for the source to know.
@usableFromInline package final class PushConduit<Output, Failure: Error>: ConduitSubscription, @unchecked Sendable {
    @usableFromInline package enum Source {
        /// Not yet started. Starting answers how to stop. The source should hold the conduit weakly.
        case idle(start: (PushConduit) -> () -> Void)
        case running(stop: () -> Void)
        case stopped
    }

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let drain = Drain()

    // The next three are used by the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var source: Source

    @exclusivity(unchecked) @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

    /// How many values are left to deliver before the stream finishes.
    @exclusivity(unchecked) @usableFromInline package var remaining: Subscribers.Demand

    @usableFromInline package let name: StaticString

    /// Creates the conduit, to be handed downstream as the subscription.
    ///
    /// - Parameters:
    ///   - limit: The number of values after which the stream finishes.
    ///   - start: Starts the source and answers how to stop it.
    @inlinable package init(
        name: StaticString, limit: Subscribers.Demand = .unlimited, to downstream: some Subscriber<Output, Failure>,
        start: @escaping (PushConduit) -> () -> Void
    ) {
        self.name = name
        self.remaining = limit
        self.downstream = AnySubscriber(downstream)
        source = .idle(start: start)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: PushConduit.self)
            switch signal {
            case .request(let demand):
                if conduit.outstanding.add(demand) == Subscribers.Demand.none {
                    conduit.drain.runOrPostpone { conduit.start() }
                }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.drain.runOrPostpone { conduit.end(nil) } }
            }
        }
    }

    @inlinable deinit { stop() }

    /// Delivers a value, if one has been requested.
    @inlinable package func push(_ value: Output) {
        if drain.enter() || drain.waitForTurn(slows: true) {
            deliver(value)
            drain.leave()
        } else {
            drain.postpone { self.deliver(value) }
        }
    }

    /// Ends the stream.
    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) { drain.run { self.end(completion) } }

    @inlinable package func start() {
        if case .idle(let start) = source { source = .running(stop: start(self)) }
    }

    @inlinable package func deliver(_ value: Output) {
        guard let downstream, outstanding.takeOne() else { return }
        remaining -= 1
        outstanding.add(downstream.receive(value))
        if remaining == .none { end(.finished) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>?) {
        stop()
        guard let downstream = downstream.take() else { return }
        if outstanding.close() != nil, let completion { downstream.receive(completion: completion) }
    }

    @inlinable package func stop() {
        let source = exchange(&self.source, with: .stopped)
        if case .running(let stop) = source { stop() }
    }

    @usableFromInline package override var description: String { name.description }
}
