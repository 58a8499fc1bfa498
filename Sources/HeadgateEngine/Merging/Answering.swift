import HeadgateCore

/// How a conduit acts on what its subscriber says: in its drain, and only where something may have waited for it.
@usableFromInline package protocol Answering where Self: JoiningConduit<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Requests what is needed, and delivers what waits as far as it is wanted.
    func serve()

    /// Hears that the subscriber has cancelled.
    func withdraw()
}

// Closures that capture nothing, made where the type of the conduit is known.
extension Answering {
    /// Adds demand to what is outstanding, and serves what has waited for it.
    @inlinable package static var serving: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                guard let before = conduit.outstanding.add(demand) else { return }
                // With demand left, nothing waits.
                if before == .none || before != .unlimited && before + demand == .unlimited {
                    conduit.attend { conduit.serve() }
                }
            case .cancel:
                conduit.hearCancel()
            }
        }
    }

    /// Puts demand in the inbox, from which it is taken to be passed on upstream.
    @inlinable package static var forwarding: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                if !conduit.outstanding.isClosed, conduit.inbox.add(demand) == Subscribers.Demand.none {
                    conduit.attend { conduit.serve() }
                }
            case .cancel:
                conduit.hearCancel()
            }
        }
    }

    @inlinable func hearCancel() {
        if outstanding.close() != nil { attend { self.withdraw() } }
    }

    @inlinable package func withdraw() { release() }
}
