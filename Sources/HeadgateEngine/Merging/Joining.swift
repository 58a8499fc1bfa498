import HeadgateCore

/// What a joining conduit does with the events of its upstreams, its sides, and of its subscriber.
///
/// The drain's owner calls the functions, one at a time, and calls those for requests only if something may have waited
/// for them.
@usableFromInline package protocol Joining where Self: JoiningConduit<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    associatedtype Side: Upstream = Upstream

    /// What is known about how the values arrive, by what is known of the upstreams.
    var traitsByUpstreams: SubscriptionTraits { get }

    /// Whether nobody is left to receive what the upstreams send.
    var takesNothing: Bool { get }

    /// Whether an upstream may still be connected.
    var isWanted: Bool { get }

    /// Makes the initial requests, when the subscriber is attached.
    func start()

    /// Makes due what new demand permits to request, and delivers nothing: also called inside a delivery.
    func forwardDemand()

    /// Makes the necessary requests, and delivers the waiting values as far as there is demand.
    func serve()

    /// Called when the subscriber has cancelled.
    func withdraw()

    /// Receives the subscription to a side.
    ///
    /// - Returns: The demand to request.
    func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand

    /// Called when a side has completed.
    func end(_ side: Side, _ completion: Subscribers.Completion<Failure>)
}

extension Joining {
    @inlinable package var traitsByUpstreams: SubscriptionTraits { [] }

    @inlinable package var takesNothing: Bool { isOver }

    @inlinable package var isWanted: Bool { !isOver }

    @inlinable package func start() { serve() }

    @inlinable package func forwardDemand() {}

    @inlinable package func serve() { forwardDemand() }

    @inlinable package func withdraw() { release() }

    @inlinable package func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand {
        accept(subscription, of: side, if: isWanted) ? outstanding.current : .none
    }

    /// Attaches the subscriber: the conduit subscribes to its upstreams, sends its own subscription downstream, and
    /// then makes its initial requests.
    ///
    /// - Parameter attach: Subscribes to the upstreams.
    @inlinable package func connect(_ subscriber: some Subscriber<Output, Failure>, attach: () -> Void) {
        beginConnecting()
        attach()
        endConnecting(subscriber)
    }

    /// Sends the subscriber its subscription, and makes the initial requests.
    // Not inlined: it stands once in a client's code, and not once per operator of a chain.
    @inlinable @inline(never) func endConnecting(_ subscriber: some Subscriber<Output, Failure>) {
        knownTraits = traitsByUpstreams.lasting
        subscriber.receive(subscription: self)
        phase = .connected
        QueueRegistry.apart {
            if let completion = earlyEnd.take() { finish(completion) } else if !isOver { start() }
            leave()
        }
    }

    // Two closures that capture nothing, created where the type of the conduit is known.

    /// Adds to the outstanding demand, and serves what has waited for it.
    @inlinable package static var serving: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                guard let before = conduit.outstanding.add(demand) else { return }
                // If demand was left over, nothing waits.
                if before == .none || before != .unlimited && before + demand == .unlimited {
                    conduit.demandHasArrived()
                }
            case .cancel: conduit.closeAtCancel()
            }
        }
    }

    /// Puts demand into the inbox, from which it is forwarded upstream.
    @inlinable package static var forwarding: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                if !conduit.outstanding.isClosed, conduit.inbox.add(demand) == Subscribers.Demand.none {
                    conduit.demandHasArrived()
                }
            case .cancel: conduit.closeAtCancel()
            }
        }
    }

    @inlinable func demandHasArrived() {
        if isDeliveredByCaller {
            forwardDemand()
            requestFromSenders()
        }
        attend {
            self.serve()
            self.requestWhatIsDue()
        }
    }

    @inlinable func closeAtCancel() {
        if outstanding.close() == nil { return }
        // Now, whoever owns the drain; what else is to be released waits for it.
        if loseReceiver() { attached.cancel() }
        attend { self.withdraw() }
    }
}
