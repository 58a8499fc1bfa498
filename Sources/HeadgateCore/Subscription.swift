/// The connection between a subscriber and the publisher that serves it.
///
/// Both methods may be called from any thread, even from inside `Subscriber.receive(_:)`. The publisher may deliver
/// from inside `request(_:)`, but never a value inside the delivery of another.
///
/// Make it a class. A structure may conform if it wraps another subscription: all copies of it must request from and
/// cancel the same one.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Requests more values, in addition to those requested before.
    ///
    /// Requesting `.none`, and requesting after the end or after `cancel()`, does nothing.
    func request(_ demand: Subscribers.Demand)

    /// This subscription, if it is one of the library's own; clients don't implement it.
    ///
    /// A dynamic cast would also tell, but costs a tenth of a whole subscription.
    var _conduit: AnyObject? { get }
}

extension Subscription {
    /// None: this subscription isn't one of the library's own.
    @inlinable public var _conduit: AnyObject? { nil }
}

extension Subscriptions {
    /// A subscription that delivers nothing: both its methods do nothing.
    ///
    /// Send it to a subscriber before completing at once.
    public static var empty: any Subscription { EmptySubscription.shared }

    package final class EmptySubscription: Subscription, CustomStringConvertible, Sendable {
        fileprivate static let shared = EmptySubscription()

        package func request(_ demand: Subscribers.Demand) {}
        package func cancel() {}
        package var description: String { "Empty" }
    }
}
