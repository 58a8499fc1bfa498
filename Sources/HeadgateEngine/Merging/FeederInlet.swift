import HeadgateCore

/// A conduit whose upstreams are made of the values of a publisher, its feeder.
@usableFromInline package protocol Feeding: Answering {
    var feeder: Upstream { get }

    /// How many values are requested from the feeder at first.
    var limit: Subscribers.Demand { get }

    /// Hears that the feeder has ended.
    func endFeeder(_ completion: Subscribers.Completion<Failure>)
}

/// What subscribes to the feeder of a conduit.
@usableFromInline package struct FeederInlet<Input, Conduit: Feeding>: Inlet {
    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline let host: Conduit

    /// Creates a publisher of a value and attaches it, outside the drain; answers what to request from the feeder.
    @usableFromInline let attach: (Input, Conduit) -> Subscribers.Demand

    @inlinable package init(_ host: Conduit, attach: @escaping (Input, Conduit) -> Subscribers.Demand) {
        self.host = host
        self.attach = attach
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(host.feeder) }

    @inlinable package var conduit: DrainingConduit { host }

    @inlinable package var upstream: ConduitSubscription? { host.feeder.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard host.feeder.connect(to: subscription, isWanted: !host.isOver), host.phase != .connecting else {
            return .none
        }
        host.feeder.isRequested = true
        return host.limit
    }

    // To make a publisher and to subscribe to it is foreign code, and it may answer at once.
    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        host.outstanding.isClosed || host.feeder.isDone ? .none : attach(input, host)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if host.feeder.isDone { return }
        host.feeder.isDone = true
        host.attend {
            if host.phase == .over { Undeliverable.note(completion) }
            end(completion)
        }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if host.feeder.end(), !host.isOver { host.endFeeder(completion) }
    }
}
