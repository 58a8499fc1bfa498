import HeadgateCore

/// A conduit that serves one subscriber from upstreams which may send from several threads: what all of them have in
/// common, which is everything but what the values of one upstream mean to those of another.
@usableFromInline package class JoiningConduit<Output, Failure: Error>: DrainingConduit {
    /// Demand that has come and has not been passed on upstream, for conduits that do so.
    @usableFromInline package final let inbox = OutstandingDemand()

    // The next two are only touched by the drain's owner, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package final var downstream: Downstream<Output, Failure>

    /// How the stream ended before the subscriber had its subscription.
    @exclusivity(unchecked) @usableFromInline package final var earlyEnd: Subscribers.Completion<Failure>?

    @inlinable package init(
        name: StaticString, requestsInside: Bool = false, _ downstream: AnySubscriber<Output, Failure>,
        handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.downstream = Downstream(downstream)
        super.init(name: name, requestsInside: requestsInside, handle: handle)
    }

    /// Whether there is nothing more to hear.
    ///
    /// The stream has ended, was cancelled, or will end as soon as the subscriber has its subscription. For the owner of the
    /// drain, who releases everything when the subscriber has cancelled.
    @inlinable package final var isOver: Bool {
        if phase == .over || earlyEnd != nil { return true }
        if !outstanding.isClosed { return false }
        release()
        return true
    }

    /// Takes the demand out of the inbox, as outstanding from now on, to be passed on upstream.
    @inlinable package final func takeDemand() -> Subscribers.Demand {
        let demand = inbox.takeAll()
        outstanding.add(demand)
        return demand
    }

    /// Requests something from an upstream for the first time; later calls do nothing.
    @inlinable package final func requestOnce(_ demand: Subscribers.Demand, from upstream: Upstream) {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(demand, from: upstream.subscription)
    }

    /// Connects the subscriber: the conduit subscribes to its upstreams, hands its own subscription down, and then requests
    /// what it needs.
    ///
    /// - Parameters:
    ///   - attach: Subscribes to the upstreams.
    ///   - start: Requests what is needed without having been requested.
    @inlinable package final func connect(
        _ subscriber: some Subscriber<Output, Failure>, attach: () -> Void, start: () -> Void = {}
    ) {
        _ = drain.enter()
        mayReenter = true
        attach()
        subscriber.receive(subscription: self)
        mayReenter = false
        if phase == .connecting { phase = .connected }
        if let completion = earlyEnd.take() { finish(completion) } else if !isOver { start() }
        leave()
    }

    /// Delivers a value for which one unit of demand has been taken.
    ///
    /// - Returns: What the subscriber answers.
    @inlinable @inline(__always) package final func deliver(_ value: Output) -> Subscribers.Demand {
        let more = downstream.receive(value)
        if more > .none { outstanding.add(more) }
        return more
    }

    /// Ends the stream, when the subscriber has its subscription.
    @inlinable package final func finish(_ completion: Subscribers.Completion<Failure>) {
        if phase == .over || earlyEnd != nil { return }
        if phase == .connecting {
            earlyEnd = completion
            forgetRequests()
            releaseUpstreams()
            return
        }
        let wasOpen = outstanding.close() != nil
        let receiveCompletion = release()
        if wasOpen { receiveCompletion?(completion) } else { Undeliverable.note(completion) }
    }

    /// Cancels the upstreams that have not ended, and releases everything.
    ///
    /// - Returns: How to tell the subscriber of the end.
    @discardableResult
    @inlinable package final func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        phase = .over
        forgetRequests()
        releaseUpstreams()
        return downstream.release()
    }

    /// Cancels the upstreams that have not ended, and releases what waits.
    @inlinable package func releaseUpstreams() {}
}
