import HeadgateEngine

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
