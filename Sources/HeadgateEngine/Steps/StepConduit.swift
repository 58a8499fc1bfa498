import HeadgateCore

extension _StepPublisher {
    /// Attaches a subscriber to the root of this run of steps, through one conduit for all of them.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        if _Steps._mayEnd {
            _root.receive(subscriber: endingConduit(to: subscriber))
        } else {
            _root.receive(subscriber: conduit(to: subscriber))
        }
    }

    // Separate from the call of the root, so that what is needed to create a conduit is off the stack by then: through
    // `AnyPublisher`, the calls nest as deeply as the pipeline.
    @inlinable @inline(never) package func conduit<S: Subscriber<Output, Failure>>(
        to subscriber: S
    ) -> StepConduit<_Steps, S> {
        StepConduit(_steps, subscriber)
    }

    @inlinable @inline(never) package func endingConduit<S: Subscriber<Output, Failure>>(
        to subscriber: S
    ) -> EndingStepConduit<_Steps, S> {
        EndingStepConduit(_steps, subscriber)
    }
}

/// Forwards values through steps that never complete the stream.
///
/// Transparent: upstream's subscription is forwarded downstream unchanged.
@usableFromInline package final class StepConduit<Steps: _Step, Downstream: Subscriber>: Subscriber
where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var steps: Steps

    @usableFromInline package let downstream: Downstream

    @inlinable package init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
    }

    @inlinable package func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable package func receive(_ input: Steps.Input) -> Subscribers.Demand {
        switch steps._receive(input) {
        case .next(let value): downstream.receive(value)
        case .skip: .max(1)
        case .last, .end: .none
        }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Steps.InputFailure>) {
        downstream.receive(completion: steps._receive(completion: completion))
    }
}

/// Forwards values through steps, one of which may complete the stream, and then cancels upstream.
@usableFromInline package final class EndingStepConduit<Steps: _Step, Downstream: Subscriber>: Subscriber
where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var steps: Steps

    @usableFromInline package let downstream: Downstream

    @usableFromInline package let gate: Gate

    @inlinable package init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
        gate = Gate(name: Steps._name)
    }

    @inlinable package func receive(subscription: any Subscription) {
        if steps._hasEnded {
            endAtOnce(subscription)
        } else if gate.upstream.fill(with: subscription) {
            downstream.receive(subscription: gate)
        }
    }

    /// Completes the stream before the first value; the gate refers to nothing, so nothing is ever requested from
    /// upstream.
    @usableFromInline package func endAtOnce(_ subscription: any Subscription) {
        subscription.cancel()
        if gate.upstream.isClosed { return }
        downstream.receive(subscription: gate)
        if gate.upstream.close() { downstream.receive(completion: .finished) }
    }

    @inlinable package func receive(_ input: Steps.Input) -> Subscribers.Demand {
        if gate.upstream.isClosed { return .none }
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

    @inlinable package func receive(completion: Subscribers.Completion<Steps.InputFailure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: steps._receive(completion: completion))
    }

    @inlinable @inline(never) package func end(_ completion: Subscribers.Completion<Steps.OutputFailure>) {
        if gate.upstream.cancel() { downstream.receive(completion: completion) }
    }
}
