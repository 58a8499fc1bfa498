import HeadgateCore

extension _StepPublisher {
    /// Attaches a subscriber to the root of this run of steps, through one conduit for all of them.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        Upstream._Fusion._fuse1(upstream, _stage, subscriber, StepConduits.self)
    }
}

/// The conduits of fused steps.
@usableFromInline package enum StepConduits: _StepConnector {
    @inlinable package static func _connect<Steps: _Step, Downstream: Subscriber>(
        _ root: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        if Steps._mayEnd {
            root.receive(subscriber: ending(steps, downstream))
        } else {
            root.receive(subscriber: passing(steps, downstream))
        }
    }

    // Erased, so that a subscriber's type doesn't grow with the number of runs.
    @inlinable package static func _cut<Steps: _Step, Downstream: Subscriber>(
        _ step: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        step.receive(subscriber: erased(steps, downstream))
    }

    // Separate from the call of the root, so that what is needed to create a conduit is off the stack by then: through
    // `AnyPublisher`, the calls nest as deeply as the pipeline.
    @inlinable @inline(never) static func passing<Steps: _Step, Downstream: Subscriber>(
        _ steps: Steps, _ downstream: Downstream
    ) -> StepConduit<Steps, Downstream> {
        StepConduit(steps, downstream)
    }

    @inlinable @inline(never) static func ending<Steps: _Step, Downstream: Subscriber>(
        _ steps: Steps, _ downstream: Downstream
    ) -> EndingStepConduit<Steps, Downstream> {
        EndingStepConduit(steps, downstream)
    }

    @inlinable @inline(never) static func erased<Steps: _Step, Downstream: Subscriber>(
        _ steps: Steps, _ downstream: Downstream
    ) -> AnySubscriber<Steps.Input, Steps.InputFailure>
    where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        Steps._mayEnd
            ? AnySubscriber(EndingStepConduit(steps, downstream)) : AnySubscriber(StepConduit(steps, downstream))
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
