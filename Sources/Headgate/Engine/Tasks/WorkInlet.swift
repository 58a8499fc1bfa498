import HeadgateCore
import HeadgateEngine

/// Held by the upstream and downstream of a `WorkConduit`: when it is released, nothing refers to the conduit any more.
@usableFromInline package final class WorkTether<Input, Output, Failure: Error>: ServedSource {
    @usableFromInline package let conduit: WorkConduit<Input, Output, Failure>

    @inlinable package init(_ conduit: WorkConduit<Input, Output, Failure>) { self.conduit = conduit }

    @inlinable deinit { conduit.abandon() }

    @inlinable package func request(_ demand: Subscribers.Demand) { conduit.request(demand) }

    @inlinable package func cancel() { conduit.cancel() }

    @inlinable package func abandon() {}
}

/// The subscriber to the upstream of a `WorkConduit`.
@usableFromInline package final class WorkInlet<Input, InputFailure: Error, Output, Failure: Error>: Subscriber {
    @usableFromInline let conduit: WorkConduit<Input, Output, Failure>

    @usableFromInline let name: StaticString

    @usableFromInline let translate: (InputFailure) -> Failure

    @usableFromInline let end: Guarded<WorkTether<Input, Output, Failure>?>

    @inlinable package init(
        _ conduit: WorkConduit<Input, Output, Failure>, name: StaticString,
        translate: @escaping (InputFailure) -> Failure
    ) {
        self.conduit = conduit
        self.name = name
        self.translate = translate
        nonisolated(unsafe) let tether: WorkTether? = WorkTether(conduit)
        end = Guarded(tether)
    }

    @inlinable package func receive(subscription: any Subscription) {
        guard conduit.connect(to: subscription), let tether = end.withLock({ $0 }),
            let downstream = conduit.currentDownstream()
        else { return subscription.cancel() }
        downstream.receive(subscription: SourceSubscription(tether, name: name, isPatient: true))
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        conduit.receive(input)
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<InputFailure>) {
        conduit.receive(completion: completion.mapFailure(translate))
        // Outside the lock.
        _ = end.withLock { $0.take() }
    }
}
