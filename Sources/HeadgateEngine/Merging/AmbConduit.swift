import HeadgateCore

/// Serves one subscriber from whichever of several upstreams is the first to send a value or to end.
///
/// All of them are passed the demand until then. The others are cancelled, and what they have sent meanwhile is dropped.
@usableFromInline package final class AmbConduit<Output, Failure: Error>: JoiningConduit<Output, Failure> {
    /// Demand that has come and has not been passed on.
    @usableFromInline let inbox = OutstandingDemand()

    // The next two belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<Upstream> = []

    @exclusivity(unchecked) @usableFromInline var winner: Upstream?

    @inlinable init(_ downstream: AnySubscriber<Output, Failure>) {
        super.init(name: "Amb", downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: AmbConduit.self)
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

    /// Subscribes to one of the publishers.
    @usableFromInline package typealias Attach = (AmbInlet<Output, Failure>) -> Void

    @inlinable package static func attach(_ publisher: some Publisher<Output, Failure>) -> Attach {
        { publisher.receive(subscriber: $0) }
    }

    /// Connects a subscriber to the first of these publishers that says something; finishes if there are none.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = AmbConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            if publishers.isEmpty { conduit.finish(.finished) }
            for attach in publishers where conduit.earlyEnd == nil {
                let side = Upstream()
                conduit.sides.append(side)
                attach(AmbInlet(conduit, side))
            }
        }
    }

    /// Adds new demand, and passes it on.
    @usableFromInline func serve() {
        if isOver { return }
        let demand = inbox.takeAll()
        outstanding.add(demand)
        if let winner { return request(demand, from: winner.subscription) }
        for side in sides { request(demand, from: side.subscription) }
    }

    /// Delivers a value of the upstream that was first.
    ///
    /// - Returns: What to request from it.
    @inlinable @inline(__always) func take(_ value: Output, from side: Upstream) -> Subscribers.Demand {
        if isOver || side.hasEnded { return .none }
        if winner == nil { choose(side) }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    /// Cancels all upstreams but one.
    @usableFromInline func choose(_ side: Upstream) {
        winner = side
        for other in exchange(&sides, with: []) where other !== side { other.cancel() }
    }

    @usableFromInline func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if !isOver, side.end() { finish(completion) }
    }

    @usableFromInline package override func releaseUpstreams() {
        for side in exchange(&sides, with: []) { side.cancel() }
        winner?.cancel()
    }
}

/// What subscribes to one of the upstreams of an `AmbConduit`.
@usableFromInline package struct AmbInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let amb: AmbConduit<Input, Failure>

    @usableFromInline let side: Upstream

    @inlinable init(_ amb: AmbConduit<Input, Failure>, _ side: Upstream) {
        self.amb = amb
        self.side = side
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(side) }

    @inlinable package var conduit: DrainingConduit { amb }

    @inlinable package var upstream: (any Subscription)? { side.subscription }

    @inlinable package func connect(to subscription: any Subscription) -> Subscribers.Demand {
        side.connect(to: subscription, isWanted: !amb.isOver && amb.winner == nil) ? amb.outstanding.current : .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { amb.take(input, from: side) }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { amb.end(side, completion) }
}
