import HeadgateCore

/// Serves one subscriber from something that happens by itself: delivers what happens while values are asked for, and
/// lets go by what happens while they are not.
///
/// The source is started at the first demand and stopped at the end, at `cancel()`, or when the subscription is let go
/// of. It may push from any thread; a `SerialDrain` keeps starting, deliveries and stopping apart.
// All state belongs to the owner of the drain. Whether a value may change threads is for the source to know.
@usableFromInline
package final class PushConduit<Output, Failure: Error>: ConduitSubscription, @unchecked Sendable {
    @usableFromInline
    enum Event {
        case start
        case value(Output)
        case end(Subscribers.Completion<Failure>?)
    }

    @usableFromInline
    enum Source {
        /// Not yet started. Starting answers how to stop. The source should hold the conduit weakly.
        case idle(start: (PushConduit) -> () -> Void)
        case running(stop: () -> Void)
        case stopped
    }

    @usableFromInline
    let outstanding = OutstandingDemand()

    @usableFromInline
    let drain = SerialDrain<Event>()

    // The next three are used by the owner of the drain, hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var source: Source

    @exclusivity(unchecked)
    @usableFromInline
    var downstream: AnySubscriber<Output, Failure>?

    /// How many values are left to deliver before the stream finishes.
    @exclusivity(unchecked)
    @usableFromInline
    var remaining: Subscribers.Demand

    @usableFromInline
    let name: StaticString

    /// Makes the conduit, to be handed downstream as the subscription.
    ///
    /// - Parameters:
    ///   - limit: The number of values after which the stream finishes.
    ///   - start: Starts the source and answers how to stop it.
    @inlinable
    package init<S: Subscriber>(
        name: StaticString, limit: Subscribers.Demand = .unlimited, to downstream: S,
        start: @escaping (PushConduit) -> () -> Void
    ) where S.Input == Output, S.Failure == Failure {
        self.name = name
        self.remaining = limit
        self.downstream = AnySubscriber(downstream)
        source = .idle(start: start)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: PushConduit.self)
            switch signal {
            case .request(let demand):
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.perform(.start) }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.perform(.end(nil)) }
            }
        }
    }

    @inlinable
    deinit { stop() }

    /// Delivers a value, if one has been asked for.
    @inlinable
    package func push(_ value: Output) { perform(.value(value)) }

    /// Ends the stream.
    @inlinable
    package func finish(_ completion: Subscribers.Completion<Failure>) { perform(.end(completion)) }

    @inlinable
    func perform(_ event: Event) {
        drain.run(event) { event in
            switch event {
            case .start: start()
            case .value(let value): deliver(value)
            case .end(let completion): end(completion)
            }
        }
    }

    @inlinable
    func start() {
        if case .idle(let start) = source { source = .running(stop: start(self)) }
    }

    @inlinable
    func deliver(_ value: Output) {
        guard let downstream, outstanding.takeOne() else { return }
        remaining -= 1
        outstanding.add(downstream.receive(value))
        if remaining == .none { end(.finished) }
    }

    @inlinable
    func end(_ completion: Subscribers.Completion<Failure>?) {
        stop()
        guard let downstream = downstream.take() else { return }
        if outstanding.close() != nil, let completion { downstream.receive(completion: completion) }
    }

    @inlinable
    func stop() {
        let source = exchange(&self.source, with: .stopped)
        if case .running(let stop) = source { stop() }
    }

    @usableFromInline
    package override var description: String { name.description }
}
