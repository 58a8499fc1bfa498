import HeadgateCore

extension _StepPublisher {
    /// Attaches a subscriber to the root of this run of steps, through one conduit for all of them.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        _receive(atRoot: conduit(for: subscriber))
    }

    // Separate, so that what is needed to create a conduit is off the stack before the root is called: through `AnyPublisher`, the
    // calls nest as deeply as the pipeline.
    @inlinable @inline(never) func conduit<Downstream: Subscriber<Output, Failure>>(
        for downstream: Downstream
    ) -> StepConduit<_Steps, Downstream> {
        StepConduit(_steps, downstream)
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

    @inlinable static var hasGate: Bool { Steps._name != nil }

    @inlinable package init(_ steps: Steps, _ downstream: Downstream) {
        self.steps = steps
        self.downstream = downstream
        ownGate = Steps._name.map { Gate(name: $0) }
    }

    @inlinable package static var _needsNoSubscription: Bool { !Self.hasGate && Downstream._needsNoSubscription }

    @inlinable package func receive(subscription: any Subscription) {
        if !Self.hasGate {
            downstream.receive(subscription: subscription)
        } else if gate.upstream.fill(with: subscription) {
            downstream.receive(subscription: gate)
        }
    }

    // Inlined also into the conduit of a stage, which divides a run.
    @inlinable @inline(__always) package func receive(_ input: Steps.Input) -> Subscribers.Demand {
        // A debug build looks at the gate in fewer instructions than at the steps, of which an optimised build knows it.
        if !(_isDebugAssertConfiguration() && ownGate == nil), Self.hasGate, gate.upstream.isClosed { return .none }
        var demand = Subscribers.Demand.none
        switch steps._receive(input, { demand = downstream.receive($0) }) {
        case .next: return demand
        case .skip: return .max(1)
        case .last: end(failing: false)
        case .end: end(failing: true)
        }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Steps.InputFailure>) {
        if Self.hasGate, !gate.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion.mapFailure { steps._failure(for: $0) })
    }

    /// Ends the stream before upstream does, with the steps' failure if there is one.
    // Separate, so that code that is not specialised looks up the type of completions here only.
    @inlinable @inline(never) package func end(failing: Bool) {
        guard Self.hasGate, gate.upstream.cancel() else { return }
        downstream.receive(completion: failing ? steps._failure.map { .failure($0) } ?? .finished : .finished)
    }
}
