import HeadgateCore

/// What serves one subscriber and lives apart from its subscription: something else holds it, such as a task.
@usableFromInline package protocol ServedSource: AnyObject {
    /// Hears what the subscriber requests; more than none.
    func request(_ demand: Subscribers.Demand)

    /// Hears that the subscriber has cancelled, perhaps more than once.
    func cancel()

    /// Hears that nobody holds the subscription any more.
    func abandon()
}

extension ServedSource {
    @usableFromInline package func abandon() { cancel() }
}

/// The subscription to a source that something else keeps alive, so that the source learns when nobody is left who could
/// request or cancel.
@usableFromInline package final class SourceSubscription: ConduitSubscription {
    @usableFromInline package let source: any ServedSource

    @usableFromInline package let name: StaticString

    /// Whether nothing is lost by requesting late.
    @usableFromInline package let isPatient: Bool

    /// Creates the subscription.
    ///
    /// - Parameter isPatient: Whether values wait until they are requested. If not, they come by themselves.
    // Made where the type of the source is known, for through the protocol its methods run unspecialised.
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

/// A subscription that leads to upstream, on behalf of a subscriber that passes values on and keeps the same slot.
@usableFromInline package final class WrappingSubscription: ConduitSubscription {
    @usableFromInline package let upstream: SharedSlot

    @usableFromInline let name: StaticString

    @usableFromInline let cancelsWhenReleased: Bool

    /// Creates the subscription.
    ///
    /// - Parameters:
    ///   - cancelsWhenReleased: Whether upstream is cancelled when nobody holds this any more.
    ///   - enclose: Calls what it is given, once.
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

/// A subscriber whose upstream is cancelled when the subscription is let go of.
///
/// For sources that are made of operators, which by themselves hold their upstream until `cancel()`.
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
