/// A receiver of a publisher's values.
///
/// A subscriber receives exactly one subscription, then at most as many values as it has requested, then at most one
/// completion, then nothing. The calls are serial, though not always on the same thread.
@preconcurrency public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// The type of the values received.
    associatedtype Input

    /// The type of error that the stream may fail with; `Never` if it can't fail.
    associatedtype Failure: Error

    /// Receives the subscription, with which the subscriber requests values.
    func receive(subscription: any Subscription)

    /// Receives a value.
    ///
    /// - Returns: Additional demand, on top of what is outstanding.
    func receive(_ input: Input) -> Subscribers.Demand

    /// Receives the completion.
    func receive(completion: Subscribers.Completion<Failure>)

    /// The place in a list of publishers for which this subscriber stands, where the list may be extended. It has a
    /// default, and subscribers outside the library don't implement it.
    var _listPlace: AnyObject? { get }

    /// Whether a publisher that has all its values may deliver them without a subscription: this subscriber would
    /// request all of them at once, and nothing can cancel before `receive(subscriber:)` returns. It has a default, and
    /// subscribers outside the library don't implement it.
    static var _needsNoSubscription: Bool { get }

    /// Receives all values of a sequence that has an end, if this subscriber can do so faster than one by one: it delivers
    /// nothing meanwhile, and requests nothing. It has a default, and subscribers outside the library don't implement it.
    ///
    /// - Returns: Whether it has received them.
    func _receive(all values: some Sequence<Input>) -> Bool
}

extension Subscriber {
    /// None: this subscriber isn't part of a list.
    @inlinable public var _listPlace: AnyObject? { nil }

    /// False: this subscriber requests what it receives.
    @inlinable public static var _needsNoSubscription: Bool { false }

    /// False: this subscriber receives values one by one.
    @inlinable public func _receive(all values: some Sequence<Input>) -> Bool { false }
}

extension Subscriber where Input == Void {
    /// Receives an event that carries no value.
    ///
    /// - Returns: Additional demand, on top of what is outstanding.
    @inlinable public func receive() -> Subscribers.Demand { receive(()) }
}
