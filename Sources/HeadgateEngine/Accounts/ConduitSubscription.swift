import HeadgateCore

/// What a downstream can say to a conduit.
@usableFromInline package enum Signal {
    case request(Subscribers.Demand)
    case cancel
}

/// The subscription that a conduit hands downstream: the conduit itself, seen through two types that are not generic.
///
/// Methods of a generic class are reached through a table that holds the unspecialised code, ten to a hundred times
/// slower. A closure made where the types are known leads to the specialised code from anywhere. So a conduit passes
/// one up, which captures nothing: it is given the conduit back.
@usableFromInline
package class ConduitSubscription: Subscription, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline package let handle: (ConduitSubscription, Signal) -> Void

    @inlinable package init(handle: @escaping (ConduitSubscription, Signal) -> Void) {
        self.handle = handle
    }

    @inlinable package final func request(_ demand: Subscribers.Demand) { handle(self, .request(demand)) }

    @inlinable package final func cancel() { handle(self, .cancel) }

    /// What a log shows for this subscription.
    @usableFromInline package var description: String { "Subscription" }

    /// What a dump shows: as in Combine, nothing of how it is done.
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    @usableFromInline package final var playgroundDescription: Any { description }

    /// Whether values come only in answer to demand, at once, and wait unspent where there is none, so that asking for
    /// them one by one loses nothing.
    @usableFromInline package var answersDemandAtOnce: Bool { false }

    /// Whether values wait unspent until they are asked for, at once or later, so that nothing is lost by asking late.
    @usableFromInline package var waitsForDemand: Bool { answersDemandAtOnce }

    /// Whether values come by themselves while they are requested, so that a request returns at once.
    @usableFromInline package var sendsByItself: Bool { false }

    /// Whether the values are the states of one thing, of which the most recent is all that matters to whoever is late.
    @usableFromInline package var holdsLatestOnly: Bool { false }
}

extension Subscription {
    @inlinable package func receive(_ signal: Signal) {
        switch signal {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
    }

    /// Whether values come by themselves while they are requested, which is not known of other people's.
    @usableFromInline package var sendsByItself: Bool { (self as? ConduitSubscription)?.sendsByItself ?? false }

    /// Whether asking this subscription for its values one by one loses nothing.
    @usableFromInline package var answersDemandAtOnce: Bool {
        (self as? ConduitSubscription)?.answersDemandAtOnce ?? false
    }

    /// Whether nothing is lost by asking this subscription late, which is not known of other people's.
    @usableFromInline package var waitsForDemand: Bool { (self as? ConduitSubscription)?.waitsForDemand ?? false }

    /// Whether whoever is late needs the most recent value of this subscription and no other.
    @usableFromInline package var holdsLatestOnly: Bool { (self as? ConduitSubscription)?.holdsLatestOnly ?? false }
}
