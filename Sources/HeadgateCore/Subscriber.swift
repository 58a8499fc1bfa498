/// Whoever receives a publisher's values.
///
/// A subscriber hears exactly one `receive(subscription:)`, then at most as many values as it has asked for, then at
/// most one completion, then nothing. The calls come one after the other, though not always from the same thread.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// The kind of values that are received.
    associatedtype Input

    /// The type of error that the stream may fail with; `Never` if it can't fail.
    associatedtype Failure: Error

    /// Tells the subscriber that it is connected, and with what to ask for values.
    func receive(subscription: any Subscription)

    /// Hands over one value.
    ///
    /// - Returns: How many values the subscriber wants on top of those outstanding.
    func receive(_ input: Input) -> Subscribers.Demand

    /// Tells the subscriber that the stream has ended.
    func receive(completion: Subscribers.Completion<Failure>)

    /// The place in a list of publishers for which this subscriber stands, and nothing else: what the list may be extended
    /// at. It has a default, and a subscriber of your own leaves it alone.
    var _listPlace: AnyObject? { get }
}

extension Subscriber {
    /// None: there is something between this subscriber and any list.
    @inlinable public var _listPlace: AnyObject? { nil }
}

extension Subscriber where Input == Void {
    /// Hands over one event that carries no value.
    ///
    /// - Returns: How many events the subscriber wants on top of those outstanding.
    @inlinable public func receive() -> Subscribers.Demand { receive(()) }
}
