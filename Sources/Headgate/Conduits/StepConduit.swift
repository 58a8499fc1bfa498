import HeadgateCore

extension _StepPublisher {
    /// Connects a subscriber to the root of this run of steps, through one conduit for all of them.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        if _Steps._mayEnd {
            _root.receive(subscriber: EndingStepConduit(_steps, subscriber))
        } else {
            _root.receive(subscriber: StepConduit(_steps, subscriber))
        }
    }
}

/// Passes values through steps that never end the stream. Transparent: the subscription of upstream goes downstream as
/// it is.
@usableFromInline
final class StepConduit<Steps: _Step, Downstream: Subscriber>: Subscriber
where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
    // Used inside deliveries alone, and those are serial and never nested; hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var steps: Steps

    @usableFromInline
    let downstream: Downstream

    @inlinable
    init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
    }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable
    func receive(_ input: Steps.Input) -> Subscribers.Demand {
        switch steps._receive(input) {
        case .next(let value): downstream.receive(value)
        case .skip: .max(1)
        case .last, .end: .none
        }
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Steps.InputFailure>) {
        downstream.receive(completion: steps._receive(completion: completion))
    }
}

/// Passes values through steps of which one may end the stream, and then cancels upstream.
@usableFromInline
final class EndingStepConduit<Steps: _Step, Downstream: Subscriber>: ConduitSubscription, Subscriber
where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
    // Used inside deliveries alone, and those are serial and never nested; hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var steps: Steps

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let upstream = SubscriptionSlot()

    @inlinable
    init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: EndingStepConduit.self)
            switch signal {
            case .request(let demand): conduit.upstream.request(demand)
            case .cancel: conduit.upstream.cancel()
            }
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        downstream.receive(subscription: self)
        if steps._hasEnded { end(.finished) }
    }

    @inlinable
    func receive(_ input: Steps.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        switch steps._receive(input) {
        case .next(let value):
            return downstream.receive(value)
        case .skip:
            return .max(1)
        case .last(let value):
            _ = downstream.receive(value)
            end(.finished)
        case .end(let completion):
            end(completion)
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Steps.InputFailure>) {
        if upstream.close() { downstream.receive(completion: steps._receive(completion: completion)) }
    }

    @inlinable
    @inline(never)
    func end(_ completion: Subscribers.Completion<Steps.OutputFailure>) {
        if upstream.cancel() { downstream.receive(completion: completion) }
    }

    @usableFromInline
    override var description: String { Steps._name }

    @usableFromInline
    override var answersDemandAtOnce: Bool { upstream.subscription?.answersDemandAtOnce ?? false }
}
