import HeadgateCore

extension _StepPublisher {
    /// Attaches a subscriber to the root of this run of steps, through one conduit for all of them.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        Upstream._Fusion._fuse1(upstream._base, _stage, subscriber, StepConduits.self)
    }
}

/// The conduits of fused steps.
@usableFromInline package enum StepConduits: _StepConnector {
    @inlinable package static func _connect<Steps: _Step, Downstream: Subscriber>(
        _ root: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        root.receive(subscriber: conduit(steps, downstream))
    }

    // Erased, so that a subscriber's type doesn't grow with the number of runs.
    @inlinable package static func _cut<Steps: _Step, Downstream: Subscriber>(
        _ step: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        step.receive(subscriber: erased(steps, downstream))
    }

    // Separate from the call of the root, so that what is needed to create a conduit is off the stack by then: through
    // `AnyPublisher`, the calls nest as deeply as the pipeline.
    @inlinable @inline(never) static func conduit<Steps: _Step, Downstream: Subscriber>(
        _ steps: Steps, _ downstream: Downstream
    ) -> StepConduit<Steps, Downstream> {
        StepConduit(steps, downstream)
    }

    @inlinable @inline(never) static func erased<Steps: _Step, Downstream: Subscriber>(
        _ steps: Steps, _ downstream: Downstream
    ) -> AnySubscriber<Steps.Input, Steps.InputFailure>
    where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
        AnySubscriber(StepConduit(steps, downstream))
    }
}

/// Forwards values through steps, one of which may complete the stream, and then cancels upstream.
///
/// If none of them may, it is transparent: upstream's subscription is forwarded downstream unchanged.
// One class for both, though half of them have no gate: of two, a compiler specialises upstream for each.
@usableFromInline package final class StepConduit<Steps: _Step, Downstream: Subscriber>: Subscriber
where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure {
    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var steps: Steps

    @usableFromInline package let downstream: Downstream

    @usableFromInline let ownGate: Gate?

    /// The subscription that downstream has, if a step may complete the stream.
    @inlinable var gate: Gate { ownGate.unsafelyUnwrapped }

    @inlinable package init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
        ownGate = Steps._mayEnd ? Gate(name: Steps._name) : nil
    }

    @inlinable package static var _needsNoSubscription: Bool { !Steps._mayEnd && Downstream._needsNoSubscription }

    @inlinable package func receive(subscription: any Subscription) {
        if !Steps._mayEnd {
            downstream.receive(subscription: subscription)
        } else if steps._hasEnded {
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

    // Inlined also into the conduit of a stage, which divides a run.
    @inlinable @inline(__always) package func receive(_ input: Steps.Input) -> Subscribers.Demand {
        if Steps._mayEnd, gate.upstream.isClosed { return .none }
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
        if Steps._mayEnd, !gate.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: steps._receive(completion: completion))
    }

    @inlinable @inline(never) package func end(_ completion: Subscribers.Completion<Steps.OutputFailure>) {
        if Steps._mayEnd, gate.upstream.cancel() { downstream.receive(completion: completion) }
    }
}
