/// The tie between one subscriber and the publisher that serves it.
///
/// Both methods may be called from any thread, also from inside `Subscriber.receive(_:)`. The publisher may deliver from
/// inside `request(_:)`, but never a value inside the delivery of another.
///
/// Make it a class. A structure may conform where it wraps another subscription: all copies of it have to ask and cancel
/// the same one.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Asks for more values, on top of those that were asked for before.
    ///
    /// Asking for `.none`, and asking after the end or after `cancel()`, does nothing.
    func request(_ demand: Subscribers.Demand)

    /// This subscription, if it is one of the library's own; not for clients to implement.
    ///
    /// A dynamic cast would tell as well, at a tenth of the price of a whole subscription.
    var _conduit: AnyObject? { get }
}

extension Subscription {
    /// Nothing: this subscription was made elsewhere.
    @inlinable public var _conduit: AnyObject? { nil }
}

extension Subscriptions {
    /// A subscription for a subscriber that will get nothing from it: both its methods do nothing.
    ///
    /// Hand it to a subscriber before completing at once.
    public static var empty: any Subscription { EmptySubscription.shared }

    private final class EmptySubscription: Subscription, CustomStringConvertible, Sendable {
        static let shared = EmptySubscription()

        func request(_ demand: Subscribers.Demand) {}
        func cancel() {}
        var description: String { "Empty" }
    }
}
