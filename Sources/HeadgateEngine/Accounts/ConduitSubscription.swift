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

    @inlinable package final var _conduit: AnyObject? { self }

    /// What a log shows for this subscription.
    @usableFromInline package var description: String { "Subscription" }

    /// What is known of how the values come.
    @usableFromInline package var traits: SubscriptionTraits { [] }

    /// What a dump shows: as in Combine, nothing of how it is done.
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    @usableFromInline package final var playgroundDescription: Any { description }
}

/// How the values of a subscription come, for those who can do better when they know.
@usableFromInline package struct SubscriptionTraits: OptionSet {
    @usableFromInline package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Values wait unspent until they are requested, at once or later, so that nothing is lost by requesting late.
    @inlinable package static var waitsForDemand: Self { Self(rawValue: 1) }

    /// Values wait, and come before the request returns, so that nothing is lost by requesting them one by one.
    @inlinable package static var answersDemandAtOnce: Self { Self(rawValue: 2 | waitsForDemand.rawValue) }

    /// Values come by themselves while they are requested, so that a request returns at once.
    @inlinable package static var sendsByItself: Self { Self(rawValue: 4) }

    /// The values are the states of one thing, of which the most recent is all that matters to whoever is late.
    @inlinable package static var holdsLatestOnly: Self { Self(rawValue: 8) }
}

extension Subscription {
    /// This subscription as the engine holds it: in one word, and with calls that need no witness table.
    @inlinable package var held: ConduitSubscription {
        _conduit.map { unsafeDowncast($0, to: ConduitSubscription.self) } ?? ForeignSubscription(self)
    }

    @inlinable package func receive(_ signal: Signal) {
        switch signal {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
    }
}

/// A subscription that was made elsewhere, as the engine holds it.
@usableFromInline package final class ForeignSubscription: ConduitSubscription {
    @usableFromInline package let original: any Subscription

    @usableFromInline package init(_ original: any Subscription) {
        self.original = original
        super.init { conduit, signal in
            unsafeDowncast(conduit, to: ForeignSubscription.self).original.receive(signal)
        }
    }
}
