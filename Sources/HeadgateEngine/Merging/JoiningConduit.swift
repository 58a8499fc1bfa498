import HeadgateCore

/// A conduit that serves one subscriber from upstreams that may send on several threads: what all of them have in
/// common, which is everything except how the values of the upstreams are combined.
@usableFromInline package class JoiningConduit<Output, Failure: Error>: DrainingConduit {
    /// Demand that has arrived and has not been forwarded upstream, for conduits that forward it.
    @usableFromInline package final let inbox = OutstandingDemand()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var downstream: Downstream<Output, Failure>

    /// The completion of a stream that ended before the subscriber had its subscription.
    @exclusivity(unchecked) @usableFromInline package final var earlyEnd: Subscribers.Completion<Failure>?

    @inlinable package init(
        name: StaticString, requestsInside: Bool = false, _ downstream: AnySubscriber<Output, Failure>,
        handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.downstream = Downstream(downstream)
        super.init(name: name, requestsInside: requestsInside, handle: handle)
    }

    /// Whether no further event matters.
    ///
    /// The stream has completed, was cancelled, or will complete as soon as the subscriber has its subscription. For
    /// the drain's owner, which releases everything when the subscriber has cancelled.
    @inlinable package final var isOver: Bool {
        if phase == .over || earlyEnd != nil { return true }
        if !outstanding.isClosed { return false }
        release()
        return true
    }

    /// Takes the demand from the inbox and counts it as outstanding, to be forwarded upstream.
    @inlinable package final func takeDemand() -> Subscribers.Demand {
        let demand = inbox.takeAll()
        outstanding.add(demand)
        return demand
    }

    /// Makes the first request to an upstream; later calls do nothing.
    @inlinable package final func requestOnce(_ demand: Subscribers.Demand, from upstream: Upstream) {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(demand, from: upstream.subscription)
    }

    /// Delivers a value for which one unit of demand has been taken.
    ///
    /// - Returns: The demand that the subscriber returns.
    @inlinable @inline(__always) package final func deliver(_ value: Output) -> Subscribers.Demand {
        let more = downstream.receive(value)
        if more > .none { outstanding.add(more) }
        return more
    }

    /// Completes the stream, once the subscriber has its subscription.
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

    /// Receives an upstream's completion: a failure completes the stream.
    @inlinable @inline(__always) package final func end(
        _ upstream: Upstream, _ completion: Subscribers.Completion<Failure>, whenFinished: () -> Void
    ) {
        if isOver || !upstream.end() { return }
        if case .failure = completion { finish(completion) } else { whenFinished() }
    }

    /// Cancels the upstreams that have not completed, and releases everything.
    ///
    /// - Returns: The closure that delivers the completion to the subscriber.
    // Not inlined, so that `isOver` is, which is read once per value.
    @discardableResult @inlinable @inline(never)
    package final func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        phase = .over
        forgetRequests()
        releaseUpstreams()
        return downstream.release()
    }

    /// Cancels the upstreams that have not completed, and releases the waiting values.
    @inlinable package func releaseUpstreams() {}
}
