import HeadgateCore

/// What a downstream sends to a conduit.
@usableFromInline package enum Signal {
    case request(Subscribers.Demand)
    case cancel
}

/// The subscription that a conduit sends downstream: the conduit itself, as a type that isn't generic.
///
/// Methods of a generic class are called through a table of unspecialised code, ten to a hundred times slower. A
/// closure created where the types are known leads to the specialised code from anywhere. So each conduit passes one to
/// this class, as a rule `SignalHandling.handling`. It captures nothing: the conduit is its argument.
// Open, because a class with package access can only be inherited from in its own module. No product contains this
// module, and the initialiser is not public.
open class ConduitSubscription: Subscription, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline package let handle: (ConduitSubscription, Signal) -> Void

    @inlinable package init(handle: @escaping (ConduitSubscription, Signal) -> Void) {
        self.handle = handle
    }

    /// Sends this subscription to the subscriber that it serves.
    @inlinable package final func send(to subscriber: some Subscriber) { subscriber.receive(subscription: self) }

    /// Requests values.
    @inlinable public final func request(_ demand: Subscribers.Demand) { handle(self, .request(demand)) }

    /// Ends the stream.
    @inlinable public final func cancel() { handle(self, .cancel) }

    /// Serves the subscribers.
    @inlinable public final var _conduit: AnyObject? { self }

    /// The description of this subscription in a log.
    open var description: String { "Subscription" }

    /// What is known about how the values arrive.
    open var traits: SubscriptionTraits { [] }

    /// A mirror without children: as in Combine, a dump shows no implementation.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// What a playground shows.
    public final var playgroundDescription: Any { description }
}

/// A conduit that handles its subscriber's signals in two methods.
@usableFromInline package protocol SignalHandling where Self: ConduitSubscription {
    func handleRequest(_ demand: Subscribers.Demand)

    func handleCancel()
}

extension SignalHandling {
    /// The closure that the conduit passes to its superclass.
    @inlinable @inline(__always) package static var handling: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel: conduit.handleCancel()
            }
        }
    }
}

/// How the values of a subscription arrive, for subscribers that can take advantage of it.
public struct SubscriptionTraits: OptionSet {
    /// The value as a number.
    public let rawValue: UInt8

    /// The traits with these bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nothing happens before the first request, so a late first request loses nothing.
    @inlinable package static var startsOnDemand: Self { Self(rawValue: 16) }

    /// Values wait unspent until they are requested, so a late request loses nothing.
    @inlinable package static var waitsForDemand: Self { Self(rawValue: 1 | startsOnDemand.rawValue) }

    /// Values wait and are delivered before the request returns, so requesting them one by one loses nothing.
    @inlinable package static var answersDemandAtOnce: Self { Self(rawValue: 2 | waitsForDemand.rawValue) }

    /// At this moment, a request returns immediately, because the values arrive on their own later.
    @inlinable package static var answersLater: Self { Self(rawValue: 32) }

    /// Values arrive on their own once requested, so every request returns immediately.
    @inlinable package static var sendsByItself: Self { Self(rawValue: 4 | answersLater.rawValue) }

    /// The values are the states of one thing: a late subscriber needs only the most recent one.
    @inlinable package static var holdsLatestOnly: Self { Self(rawValue: 8) }

    /// Without what holds at this moment only.
    @usableFromInline package var lasting: Self {
        contains(.sendsByItself) ? self : subtracting(.answersLater)
    }
}

extension ConduitSubscription {
    /// A subscription as the engine stores it: in one word, and with calls that need no witness table.
    @usableFromInline package static func holding(_ subscription: any Subscription) -> ConduitSubscription {
        if let conduit = subscription._conduit { return unsafeDowncast(conduit, to: ConduitSubscription.self) }
        return type(of: subscription) == Subscriptions.EmptySubscription.self
            ? ForeignSubscription.empty : ForeignSubscription(subscription)
    }
}

/// A subscription that isn't a conduit, as the engine stores it.
@usableFromInline package final class ForeignSubscription: ConduitSubscription, SignalHandling {
    @usableFromInline package let original: any Subscription

    @usableFromInline package init(_ original: any Subscription) {
        self.original = original
        super.init(handle: ForeignSubscription.handling)
    }

    /// The one for all empty subscriptions.
    nonisolated(unsafe) static let empty = ForeignSubscription(Subscriptions.empty)

    @usableFromInline package override var traits: SubscriptionTraits { self === Self.empty ? .startsOnDemand : [] }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) { original.request(demand) }

    @usableFromInline package func handleCancel() { original.cancel() }
}
