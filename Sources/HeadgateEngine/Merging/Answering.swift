import HeadgateCore

/// How a conduit handles its subscriber's signals: in its drain, and only if something may have waited for them.
@usableFromInline package protocol Answering where Self: JoiningConduit<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Makes the initial requests, when the subscriber is attached.
    func start()

    /// Makes the necessary requests, and delivers the waiting values as far as there is demand.
    func serve()

    /// Called when the subscriber has cancelled.
    func withdraw()
}

extension Answering {
    @inlinable package func start() { serve() }

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
        knownTraits = traitsByUpstreams
        subscriber.receive(subscription: self)
        mayReenter = false
        if phase == .connecting { phase = .connected }
        if let completion = earlyEnd.take() { finish(completion) } else if !isOver { start() }
        leave()
    }
}

// Closures that capture nothing, created where the type of the conduit is known.
extension Answering {
    /// Adds to the outstanding demand, and serves what has waited for it.
    @inlinable package static var serving: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                guard let before = conduit.outstanding.add(demand) else { return }
                // If demand was left over, nothing waits.
                if before == .none || before != .unlimited && before + demand == .unlimited {
                    conduit.attend { conduit.serve() }
                }
            case .cancel:
                conduit.closeAtCancel()
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
                    conduit.attend { conduit.serve() }
                }
            case .cancel:
                conduit.closeAtCancel()
            }
        }
    }

    @inlinable func closeAtCancel() {
        if outstanding.close() != nil { attend { self.withdraw() } }
    }

    @inlinable package func withdraw() { release() }
}
