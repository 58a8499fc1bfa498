import HeadgateCore

/// Puts each value of one upstream, the driver, together with the most recent value of another, which is sampled.
///
/// The sampled upstream is requested everything from, before the driver is requested anything from. Demand goes to the
/// driver as it is. A value of the driver for which there is nothing to sample is dropped, and replaced by another one.
@usableFromInline
package final class SamplingConduit<Driver, Sample, Output, Failure: Error>: JoiningConduit<
    Output, Failure
>
{
    /// How often a value may be sampled.
    @usableFromInline package enum Use {
        case anyNumberOfTimes
        /// And where the sampled upstream finishes, the stream does so too, after the value that has not been used.
        case once
    }

    /// Demand that has come and has not been passed on.
    @usableFromInline let inbox = OutstandingDemand()

    @usableFromInline let driver = Upstream()

    @usableFromInline let sampled = Upstream()

    @usableFromInline let use: Use

    @usableFromInline let combine: (Driver, Sample) -> Output

    /// The most recent value of the sampled upstream.
    ///
    /// Belongs to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var latest: Sample?

    @inlinable package init(
        name: StaticString, use: Use, _ downstream: AnySubscriber<Output, Failure>,
        combine: @escaping (Driver, Sample) -> Output
    ) {
        self.use = use
        self.combine = combine
        super.init(name: name, downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SamplingConduit.self)
            switch signal {
            case .request(let demand):
                if !conduit.outstanding.isClosed, conduit.inbox.add(demand) == Subscribers.Demand.none {
                    conduit.attend { conduit.serve() }
                }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.attend { conduit.release() } }
            }
        }
    }

    /// Connects a subscriber to what is made of the values of both upstreams.
    ///
    /// - Parameter attach: Subscribes to the upstreams through the two inlets, in the order of the caller's choice.
    @inlinable package func connect(
        _ subscriber: some Subscriber<Output, Failure>,
        attach: (DriverInlet<Driver, Sample, Output, Failure>, SampledInlet<Driver, Sample, Output, Failure>) -> Void
    ) {
        connect(subscriber) { attach(DriverInlet(self), SampledInlet(self)) }
    }

    /// Adds new demand, and passes it on.
    @usableFromInline func serve() {
        if isOver { return }
        let demand = inbox.takeAll()
        outstanding.add(demand)
        request(demand, from: driver.subscription)
    }

    /// Delivers what is made of a value of the driver.
    ///
    /// - Returns: What to request from the driver.
    @inlinable @inline(__always) func take(_ value: Driver) -> Subscribers.Demand {
        if isOver || driver.hasEnded { return .none }
        guard let latest else { return .max(1) }
        if !outstanding.takeOne() { return .none }
        if use == .once { self.latest = nil }
        let more = deliver(combine(value, latest))
        if use == .once, sampled.hasEnded { finish(.finished) }
        return more
    }

    @usableFromInline func end(_ upstream: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !upstream.end() { return }
        switch completion {
        case .failure: finish(completion)
        case .finished where upstream === driver: finish(.finished)
        case .finished: if use == .once, latest == nil { finish(.finished) }
        }
    }

    @usableFromInline package override func releaseUpstreams() {
        driver.cancel()
        sampled.cancel()
        latest = nil
    }
}

/// What subscribes to the upstream whose values make a `SamplingConduit` deliver.
@usableFromInline package struct DriverInlet<Input, Sample, Output, Failure: Error>: Inlet {
    @usableFromInline let sampling: SamplingConduit<Input, Sample, Output, Failure>

    @inlinable init(_ sampling: SamplingConduit<Input, Sample, Output, Failure>) { self.sampling = sampling }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(sampling.driver) }

    @inlinable package var conduit: DrainingConduit { sampling }

    @inlinable package var upstream: (any Subscription)? { sampling.driver.subscription }

    @inlinable package func connect(to subscription: any Subscription) -> Subscribers.Demand {
        sampling.driver.connect(to: subscription, isWanted: !sampling.isOver) ? sampling.outstanding.current : .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { sampling.take(input) }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        sampling.end(sampling.driver, completion)
    }
}

/// What subscribes to the upstream of which a `SamplingConduit` keeps the most recent value.
@usableFromInline package struct SampledInlet<Driver, Input, Output, Failure: Error>: Inlet {
    @usableFromInline let sampling: SamplingConduit<Driver, Input, Output, Failure>

    @inlinable init(_ sampling: SamplingConduit<Driver, Input, Output, Failure>) { self.sampling = sampling }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(sampling.sampled) }

    @inlinable package var conduit: DrainingConduit { sampling }

    @inlinable package var upstream: (any Subscription)? { sampling.sampled.subscription }

    // At once, also while the subscriber is being connected: the first value of the driver finds what was there before it.
    @inlinable package func connect(to subscription: any Subscription) -> Subscribers.Demand {
        sampling.sampled.connect(to: subscription, isWanted: !sampling.isOver) ? .unlimited : .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if !sampling.isOver, !sampling.sampled.hasEnded { sampling.latest = input }
        return .none
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        sampling.end(sampling.sampled, completion)
    }
}
