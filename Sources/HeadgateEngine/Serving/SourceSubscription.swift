import HeadgateCore

/// An object that serves one subscriber and is independent of its subscription: something else retains it, such as a
/// task.
@usableFromInline package protocol ServedSource: AnyObject {
    /// Called with the subscriber's demand, which is more than none.
    func request(_ demand: Subscribers.Demand)

    /// Called when the subscriber has cancelled, possibly more than once.
    func cancel()

    /// Called when the subscription has been released.
    func abandon()
}

extension ServedSource {
    @usableFromInline package func abandon() { cancel() }
}

/// The subscription to a source that something else retains, so that the source learns when nothing is left that could
/// request or cancel.
@usableFromInline package final class SourceSubscription: ConduitSubscription {
    @usableFromInline package let source: any ServedSource

    @usableFromInline package let name: StaticString

    /// Whether a late request loses nothing.
    @usableFromInline package let isPatient: Bool

    /// Creates the subscription.
    ///
    /// - Parameter isPatient: Whether values wait for demand. If not, they arrive on their own.
    // Created where the type of the source is known, because its methods run unspecialised through the protocol.
    @inlinable package init<Source: ServedSource>(_ source: Source, name: StaticString, isPatient: Bool) {
        self.source = source
        self.name = name
        self.isPatient = isPatient
        super.init { conduit, signal in
            let source = unsafeDowncast(
                unsafeDowncast(conduit, to: SourceSubscription.self).source as AnyObject, to: Source.self)
            switch signal {
            case .request(let demand): if demand > .none { source.request(demand) }
            case .cancel: source.cancel()
            }
        }
    }

    deinit { source.abandon() }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits { isPatient ? .waitsForDemand : .sendsByItself }
}

/// A subscription that refers to upstream, on behalf of a subscriber that forwards values and shares its slot.
@usableFromInline package final class WrappingSubscription: ConduitSubscription {
    @usableFromInline package let upstream: SharedSlot

    @usableFromInline let name: StaticString

    @usableFromInline let cancelsWhenReleased: Bool

    /// Creates the subscription.
    ///
    /// - Parameters:
    ///   - cancelsWhenReleased: Whether upstream is cancelled when this is released.
    ///   - enclose: Calls its argument, once.
    @usableFromInline package init(
        _ upstream: SharedSlot, name: StaticString, cancelsWhenReleased: Bool,
        enclose: @escaping (() -> Void) -> Void = { $0() }
    ) {
        self.upstream = upstream
        self.name = name
        self.cancelsWhenReleased = cancelsWhenReleased
        super.init { _, signal in
            enclose {
                switch signal {
                case .request(let demand): upstream.slot.request(demand)
                case .cancel: upstream.slot.cancel()
                }
            }
        }
    }

    deinit {
        if cancelsWhenReleased { upstream.slot.cancel() }
    }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.slot.traits }
}

/// A subscriber whose upstream is cancelled when the subscription is released.
///
/// For sources composed of operators, which by themselves retain their upstream until `cancel()`.
@usableFromInline package struct OwningSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline package typealias Input = Downstream.Input

    @usableFromInline package typealias Failure = Downstream.Failure

    @usableFromInline let name: StaticString

    @usableFromInline let downstream: Downstream

    @usableFromInline let upstream = SharedSlot()

    @inlinable package init(name: StaticString, _ downstream: Downstream) {
        self.name = name
        self.downstream = downstream
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(upstream) }

    @inlinable package func receive(subscription: any Subscription) {
        guard upstream.slot.fill(with: subscription) else { return }
        downstream.receive(subscription: WrappingSubscription(upstream, name: name, cancelsWhenReleased: true))
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        upstream.slot.isClosed ? .none : downstream.receive(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.slot.close() { downstream.receive(completion: completion) }
    }
}
