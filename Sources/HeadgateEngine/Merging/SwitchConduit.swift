import HeadgateCore

/// Serves one subscriber from the most recent of many publishers, and carries its demand from each to the next.
///
/// The publisher that is left may still be delivering on another thread when the next one begins. Publishers are attached
/// outside the drain, so that one that answers at once delivers directly.
@usableFromInline package final class SwitchConduit<Output, Failure: Error>: JoiningConduit<Output, Failure> {
    /// Demand that has come and has not been passed on.
    @usableFromInline let inbox = OutstandingDemand()

    /// The publisher of publishers.
    @usableFromInline let outer = Upstream()

    /// Whether the end of the most recent publisher is the end of the stream, though another one might follow.
    @usableFromInline let finishesWithInner: Bool

    /// The most recent publisher.
    ///
    /// Belongs to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var inner: Upstream?

    @inlinable init(
        name: StaticString, finishesWithInner: Bool, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.finishesWithInner = finishesWithInner
        super.init(name: name, downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SwitchConduit.self)
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

    /// Connects a subscriber to the most recent of the publishers that another one publishes.
    @inlinable package static func connect<Outer: Publisher>(
        _ publishers: Outer, name: StaticString = "SwitchToLatest", finishesWithInner: Bool = false,
        to subscriber: some Subscriber<Output, Failure>
    ) where Outer.Output: Publisher<Output, Failure>, Outer.Failure == Failure {
        let conduit = SwitchConduit(
            name: name, finishesWithInner: finishesWithInner, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            publishers.receive(
                subscriber: SwitchInlet(conduit) { publisher, inlet in publisher.receive(subscriber: inlet) })
        } start: {
            conduit.serve()
        }
    }

    /// Adds new demand, and passes it on.
    @usableFromInline func serve() {
        if isOver { return }
        // One request for everything, the first time.
        if !outer.isRequested {
            outer.isRequested = true
            request(.unlimited, from: outer.subscription)
        }
        let demand = inbox.takeAll()
        outstanding.add(demand)
        request(demand, from: inner?.subscription)
    }

    /// Leaves the present publisher for one that is about to be attached.
    @inlinable func turn(to upstream: Upstream) {
        if isOver { return }
        exchange(&inner, with: upstream)?.cancel()
    }

    /// Delivers a value of the most recent publisher.
    ///
    /// - Returns: What to request from that publisher.
    @inlinable @inline(__always) func take(_ value: Output, from upstream: Upstream) -> Subscribers.Demand {
        if isOver || upstream !== inner || upstream.hasEnded || !outstanding.takeOne() { return .none }
        return deliver(value)
    }

    @usableFromInline func end(_ upstream: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver { return }
        if !upstream.end() { return Undeliverable.note(completion) }
        switch completion {
        case .failure where upstream === inner || upstream === outer: finish(completion)
        case .failure: Undeliverable.note(completion)
        case .finished: if outer.hasEnded || finishesWithInner, inner?.hasEnded ?? true { finish(.finished) }
        }
    }

    @usableFromInline package override func releaseUpstreams() {
        outer.cancel()
        inner.take()?.cancel()
    }
}

/// What subscribes to the publisher of publishers of a `SwitchConduit`.
@usableFromInline struct SwitchInlet<Input, Output, InnerFailure: Error>: Inlet {
    @usableFromInline typealias Failure = InnerFailure

    @usableFromInline typealias Attach = (Input, SwitchInnerInlet<Output, InnerFailure>) -> Void

    @usableFromInline let switching: SwitchConduit<Output, InnerFailure>

    @usableFromInline let attach: Attach

    @inlinable init(_ switching: SwitchConduit<Output, InnerFailure>, _ attach: @escaping Attach) {
        self.switching = switching
        self.attach = attach
    }

    @inlinable var conduit: DrainingConduit { switching }

    @inlinable var upstream: ConduitSubscription? { switching.outer.subscription }

    @inlinable func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard switching.outer.connect(to: subscription, isWanted: !switching.isOver) else { return .none }
        if switching.phase == .connecting { return .none }
        switching.outer.isRequested = true
        return .unlimited
    }

    // Outside the drain: to subscribe to a publisher is foreign code, and it may answer at once.
    @inlinable func receive(_ input: Input) -> Subscribers.Demand {
        if switching.outstanding.isClosed || switching.outer.isDone { return .none }
        let inner = Upstream()
        if switching.takeTurn() {
            switching.turn(to: inner)
            switching.leave()
        } else {
            switching.postpone { switching.turn(to: inner) }
        }
        attach(input, SwitchInnerInlet(switching, inner))
        return .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable func receive(completion: Subscribers.Completion<InnerFailure>) {
        if switching.outer.isDone { return }
        switching.outer.isDone = true
        switching.attend {
            if switching.phase == .over { Undeliverable.note(completion) }
            end(completion)
        }
    }

    @inlinable func end(_ completion: Subscribers.Completion<InnerFailure>) {
        switching.end(switching.outer, completion)
    }
}

/// What subscribes to the publishers between which a `SwitchConduit` switches.
@usableFromInline struct SwitchInnerInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let switching: SwitchConduit<Input, Failure>

    @usableFromInline let inner: Upstream

    @inlinable init(_ switching: SwitchConduit<Input, Failure>, _ inner: Upstream) {
        self.switching = switching
        self.inner = inner
    }

    @inlinable var conduit: DrainingConduit { switching }

    @inlinable var upstream: ConduitSubscription? { inner.subscription }

    @inlinable func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        let isWanted = !switching.isOver && switching.inner === inner
        return inner.connect(to: subscription, isWanted: isWanted) ? switching.outstanding.current : .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { switching.take(input, from: inner) }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { switching.end(inner, completion) }
}
