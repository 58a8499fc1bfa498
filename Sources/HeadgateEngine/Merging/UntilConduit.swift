import HeadgateCore
import Synchronization

/// Forwards values, or drops them, until another publisher publishes one.
@usableFromInline package final class UntilConduit<Output, Failure: Error>: DrainingConduit, SignalHandling {
    @usableFromInline package enum Event {
        /// The subscriber has its subscription.
        case subscribed
        /// Upstream's subscription arrived too late.
        case refused
        case value(Output)
        case end(Subscribers.Completion<Failure>)
        /// The other publisher has published a value.
        case trigger
        case otherFailure(Failure)
        /// The other publisher has finished.
        case otherFinish
        case cancel
    }

    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let other = SubscriptionSlot()

    /// Whether values are dropped at first rather than forwarded.
    @usableFromInline package let isDropping: Bool

    /// Whether the subscriber certainly has its subscription: it has used it, or has returned from receiving it.
    @usableFromInline package let hasSubscribed = Atomic(false)

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

    @exclusivity(unchecked) @usableFromInline package var hasBeenTriggered = false

    /// The completion of a stream that ended before the subscriber certainly had its subscription.
    @exclusivity(unchecked) @usableFromInline package var earlyEnd: Subscribers.Completion<Failure>?

    @inlinable package init(
        name: StaticString, isDropping: Bool, to downstream: some Subscriber<Output, Failure>
    ) {
        self.isDropping = isDropping
        self.downstream = AnySubscriber(downstream)
        super.init(name: name, handle: UntilConduit.handling)
        phase = .connected
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if !hasSubscribed.load(ordering: .relaxed) { perform(.subscribed) }
        upstream.request(demand)
    }

    @inlinable package func handleCancel() {
        if !upstream.cancel() { return }
        other.cancel()
        perform(.cancel)
    }

    @inlinable package func perform(_ event: Event) {
        if takeTurn() {
            performNow(event)
            leave()
        } else {
            postpone { self.performNow(event) }
        }
    }

    @inlinable package func performNow(_ event: Event) {
        switch event {
        case .subscribed:
            hasSubscribed.store(true, ordering: .relaxed)
            if let earlyEnd = earlyEnd.take() { downstream.take()?.receive(completion: earlyEnd) }
        case .refused:
            if let earlyEnd = earlyEnd.take() { downstream.take()?.complete(with: earlyEnd) }
        case .value(let value):
            request(pass(value), from: upstream.held)
        case .end(let completion):
            if upstream.close() { end(completion) } else { Undeliverable.note(completion) }
        case .trigger:
            if isDropping {
                hasBeenTriggered = true
                other.cancel()
            } else if upstream.cancel() {
                end(.finished)
            }
        case .otherFailure(let failure):
            if !hasBeenTriggered, upstream.cancel() {
                end(.failure(failure))
            } else {
                Undeliverable.note(.failure(failure))
            }
        case .otherFinish:
            // Nothing can make the values pass any more.
            if isDropping, !hasBeenTriggered, upstream.cancel() { end(.finished) }
        case .cancel:
            downstream = nil
        }
    }

    /// Forwards a value, or drops it.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable @inline(__always) package func pass(_ value: Output) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        // A dropped value is replaced.
        if isDropping, !hasBeenTriggered { return .max(1) }
        return downstream?.receive(value) ?? .none
    }

    /// Completes the stream, once upstream has completed or been cancelled.
    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        other.cancel()
        if hasSubscribed.load(ordering: .relaxed) {
            downstream.take()?.receive(completion: completion)
        } else {
            earlyEnd = completion
        }
    }

}

/// The subscriber to the publisher whose values are forwarded.
@usableFromInline package struct UntilSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: UntilConduit<Input, Failure>

    /// Sends the subscriber its subscription.
    @usableFromInline package let onSubscription: (any Subscription) -> Void

    @inlinable package init(
        conduit: UntilConduit<Input, Failure>, to downstream: some Subscriber<Input, Failure>
    ) {
        self.conduit = conduit
        onSubscription = { downstream.receive(subscription: $0) }
    }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.upstream.fill(with: subscription) {
            // Outside the drain, because the subscriber may request immediately, and upstream deliver immediately.
            onSubscription(conduit)
            conduit.perform(.subscribed)
        } else {
            conduit.perform(.refused)
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.takeTurn() {
            return conduit.leave(answering: conduit.pass(input), to: conduit.upstream.held)
        }
        conduit.postpone { conduit.performNow(.value(input)) }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) { conduit.perform(.end(completion)) }
}

/// The subscriber to the triggering publisher, which requests one value from it.
@usableFromInline package struct UntilTrigger<Input, Failure: Error, Output, OutputFailure: Error>: Subscriber {
    @usableFromInline package let conduit: UntilConduit<Output, OutputFailure>

    /// What to do when the other publisher fails.
    @usableFromInline package let onFailure: (UntilConduit<Output, OutputFailure>, Failure) -> Void

    @inlinable package init(
        conduit: UntilConduit<Output, OutputFailure>,
        onFailure: @escaping (UntilConduit<Output, OutputFailure>, Failure) -> Void
    ) {
        self.conduit = conduit
        self.onFailure = onFailure
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(conduit) }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.other.fill(with: subscription) { subscription.request(.max(1)) }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if !conduit.other.isClosed { conduit.perform(.trigger) }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !conduit.other.close() { return Undeliverable.note(completion) }
        switch completion {
        case .failure(let failure): onFailure(conduit, failure)
        case .finished: conduit.perform(.otherFinish)
        }
    }
}
