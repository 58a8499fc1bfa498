import HeadgateEngine

/// The subscriber to the upstream of a `WorkConduit`.
@usableFromInline package final class WorkInlet<Input, InputFailure: Error, Output, Failure: Error>: Subscriber {
    @usableFromInline let conduit: WorkConduit<Input, Output, Failure>

    @usableFromInline let translate: (InputFailure) -> Failure

    /// The subscriber's subscription, until upstream has completed: when it is released, nothing refers to the conduit any more.
    @usableFromInline let downstream: Guarded<SourceSubscription?>

    @inlinable package init(
        _ conduit: WorkConduit<Input, Output, Failure>, name: StaticString,
        translate: @escaping (InputFailure) -> Failure
    ) {
        self.conduit = conduit
        self.translate = translate
        nonisolated(unsafe) let downstream: SourceSubscription? = SourceSubscription(
            conduit, name: name, isPatient: true)
        self.downstream = Guarded(downstream)
    }

    @inlinable package func receive(subscription: any Subscription) {
        guard let subscriber = conduit.connect(to: subscription), let downstream = downstream.withLock({ $0 }) else {
            return subscription.cancel()
        }
        subscriber.receive(subscription: downstream)
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        conduit.receive(input)
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<InputFailure>) {
        conduit.receive(completion: completion.mapFailure(translate))
        // Outside the lock.
        _ = downstream.withLock { $0.take() }
    }
}
