import HeadgateCore

/// Combines each value of one upstream, the driver, with the most recent value of another, which is sampled.
///
/// Unlimited values are requested from the sampled upstream, before anything is requested from the driver. Demand is
/// forwarded to the driver unchanged. A driver's value without a value to sample is dropped, and another one is
/// requested.
@usableFromInline
package final class SamplingConduit<Driver, Sample, Output, Failure: Error>: JoiningConduit<
    Output, Failure
>, Gathering
{
    @usableFromInline package typealias Input = Driver

    /// How often a value may be sampled.
    @usableFromInline package enum Use {
        case anyNumberOfTimes
        /// Once; and if the sampled upstream finishes, so does the stream, after the value that has not been used.
        case once
    }

    @usableFromInline let driver = Upstream()

    @usableFromInline let sampled = Upstream()

    @usableFromInline let use: Use

    @usableFromInline let combine: (Driver, Sample) -> Output

    /// The most recent value of the sampled upstream.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var latest: Sample?

    @inlinable package init(
        name: StaticString, use: Use, _ downstream: AnySubscriber<Output, Failure>,
        combine: @escaping (Driver, Sample) -> Output
    ) {
        self.use = use
        self.combine = combine
        super.init(name: name, downstream, handle: SamplingConduit.forwarding)
    }

    /// Attaches a subscriber to what is made of the values of both upstreams.
    ///
    /// - Parameter attach: Subscribes to the upstreams through the two inlets, in the order of the caller's choice.
    @inlinable package func connect(
        _ subscriber: some Subscriber<Output, Failure>,
        attach: (SideInlet<SamplingConduit>, SampledInlet<Driver, Sample, Output, Failure>) -> Void
    ) {
        connect(subscriber) { attach(SideInlet(self, driver), SampledInlet(self)) }
    }

    // The sampled upstream's at once, even while the subscriber is being attached: the driver's first value finds what
    // was there before it.
    @inlinable package func connect(_ side: Upstream, to subscription: ConduitSubscription) -> Subscribers.Demand {
        if !accept(subscription, of: side, if: !isOver) { return .none }
        return side === sampled ? .unlimited : outstanding.current
    }

    /// Adds new demand and forwards it.
    @usableFromInline package func forwardDemand() {
        if isOver { return }
        request(takeDemand(), from: driver)
    }

    /// Notes that a value to be used once replaces the one before.
    @inlinable @inline(never) func noteSample() {
        if use == .anyNumberOfTimes { return }
        if latest != nil { counts?.drop() }
        note(waiting: 1)
    }

    /// Delivers what is made of a value of the driver.
    ///
    /// - Returns: The demand to return to the driver.
    @inlinable @inline(__always) package func take(_ value: Driver, from side: Upstream) -> Subscribers.Demand {
        if isOver || side.hasEnded { return .none }
        guard let latest else {
            // A value that finds nothing new to sample is only a signal.
            if use == .anyNumberOfTimes { counts?.drop() }
            return .max(1)
        }
        if !outstanding.takeOne() { return .none }
        if use == .once {
            self.latest = nil
            note(waiting: 0)
        }
        let more = deliver(combine(value, latest))
        if use == .once, sampled.hasEnded { finish(.finished) }
        return more
    }

    @usableFromInline package func end(_ upstream: Upstream, _ completion: Subscribers.Completion<Failure>) {
        end(upstream, completion) {
            if upstream === driver || use == .once && latest == nil { finish(.finished) }
        }
    }

    @usableFromInline package override var passedOn: Upstream? { driver }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        driver.traits.intersection([.startsOnDemand, .sendsByItself])
    }

    @usableFromInline package override func releaseValues() { latest = nil }
}

/// The subscriber to the upstream of which a `SamplingConduit` keeps the most recent value.
@usableFromInline package struct SampledInlet<Driver, Input, Output, Failure: Error>: Inlet {
    @usableFromInline package let conduit: SamplingConduit<Driver, Input, Output, Failure>

    @inlinable package init(_ sampling: SamplingConduit<Driver, Input, Output, Failure>) { conduit = sampling }

    @inlinable package var side: Upstream { conduit.sampled }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        if conduit.isOver || side.hasEnded { return .none }
        if conduit.counts != nil { conduit.noteSample() }
        conduit.latest = input
        return .none
    }
}
