import HeadgateCore

/// A conduit with one upstream, whose values may wait for demand.
@usableFromInline package protocol Buffering: Gathering where Self: JoiningConduit<Output, Failure>, Side == Upstream {
    var upstream: Upstream { get }

    /// The completion to deliver once nothing waits any more; for the drain's owner.
    var ending: Subscribers.Completion<Failure>? { get set }

    /// Whether no value waits.
    var isEmpty: Bool { get }

    /// Receives a value of upstream.
    ///
    /// - Returns: The demand to add upstream.
    func take(_ input: Input) -> Subscribers.Demand

    /// Completes the stream, if upstream has completed and nothing waits.
    func finishIfDone()
}

extension Buffering {
    @inlinable package var traitsByUpstreams: SubscriptionTraits { upstream.traits.intersection(.startsOnDemand) }

    @inlinable package var isEmpty: Bool { true }

    /// Attaches a subscriber to what this conduit makes of a publisher's values.
    @inlinable @inline(__always) package func connect(
        _ publisher: some Publisher<Input, Failure>, to subscriber: some Subscriber<Output, Failure>
    ) {
        // Inlined, and without the closure of `connect(_:attach:)`: either would be compiled once per operator of a chain.
        beginConnecting()
        publisher.receive(subscriber: WaitingInlet(self))
        endConnecting(subscriber)
    }

    @inlinable package func connect(
        _ side: Upstream, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        if accept(subscription, of: side, if: isWanted), phase == .connected, !isDelivering { start() }
        return .none
    }

    @inlinable @inline(__always) package func take(_ input: Input, from side: Upstream) -> Subscribers.Demand {
        take(input)
    }

    @inlinable package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !end(side) { return }
        ending = completion
        finishIfDone()
    }

    @inlinable package func finishIfDone() {
        if let ending, isEmpty { finish(ending) }
    }

    /// The first demand for upstream, of a conduit that keeps what arrives without demand.
    ///
    /// Of an upstream that sends on its own, it is made at once, so nothing is lost that is sent while the subscriber
    /// is attached; of others, when the subscriber is attached. Of an upstream that waits, it is made with the
    /// subscriber's first demand, unless this conduit reads ahead: nothing is lost until then, and unlimited values might
    /// never end.
    @inlinable func firstDemand(of demand: Subscribers.Demand, readsAhead: Bool = false) -> Subscribers.Demand {
        if upstream.isRequested || upstream.subscription == nil { return .none }
        if !outstanding.isPending {
            let traits = upstream.traits
            if phase != .connected, !traits.contains(.sendsByItself) { return .none }
            if !readsAhead, traits.contains(.startsOnDemand) { return .none }
        }
        upstream.isRequested = true
        return demand
    }
}

/// The subscriber to the upstream of such a conduit.
// Of one word, so closures that capture it are no objects of their own.
@usableFromInline package struct WaitingInlet<Conduit: Buffering>: Inlet {
    @usableFromInline package typealias Input = Conduit.Input

    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline package let conduit: Conduit

    @inlinable package init(_ conduit: Conduit) { self.conduit = conduit }

    @inlinable package var side: Upstream { conduit.upstream }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand { conduit.take(input) }
}
