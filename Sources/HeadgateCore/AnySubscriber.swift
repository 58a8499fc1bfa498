/// A subscriber of which only the input and failure types are known, or that is made of three closures.
@frozen public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    /// The identifier of the hidden subscriber.
    public let combineIdentifier: CombineIdentifier

    /// The place in a list for which the hidden subscriber stands.
    public let _listPlace: AnyObject?

    @usableFromInline package let onSubscription: (any Subscription) -> Void

    @usableFromInline package let onValue: (Input) -> Subscribers.Demand

    @usableFromInline package let onCompletion: (Subscribers.Completion<Failure>) -> Void

    /// Hides a subscriber behind its input and failure types.
    @inlinable public init(_ s: some Subscriber<Input, Failure>) {
        if let erased = s as? AnySubscriber {
            self = erased
        } else {
            combineIdentifier = s.combineIdentifier
            _listPlace = s._listPlace
            onSubscription = { s.receive(subscription: $0) }
            onValue = { s.receive($0) }
            onCompletion = { s.receive(completion: $0) }
        }
    }

    /// Makes a subscriber that sends everything it receives into a subject.
    @inlinable public init<S: Subject>(_ s: S) where S.Output == Input, S.Failure == Failure {
        combineIdentifier = CombineIdentifier(s)
        _listPlace = nil
        onSubscription = { s.send(subscription: $0) }
        onValue = {
            s.send($0)
            return .none
        }
        onCompletion = { s.send(completion: $0) }
    }

    /// Makes a subscriber of three closures.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called first. Where it is missing, everything is asked for.
    ///   - receiveValue: Called with each value; answers how many more are wanted. Where it is missing, every value is
    ///     taken and dropped.
    ///   - receiveCompletion: Called at the end, if it comes.
    @inlinable public init(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveValue: ((Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        combineIdentifier = CombineIdentifier()
        _listPlace = nil
        onSubscription = receiveSubscription ?? { $0.request(.unlimited) }
        onValue = receiveValue ?? { _ in .none }
        onCompletion = receiveCompletion ?? { _ in }
    }

    /// Passes the subscription to the hidden subscriber.
    @inlinable public func receive(subscription: any Subscription) { onSubscription(subscription) }

    /// Passes a value to the hidden subscriber.
    @inlinable public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }

    /// Passes the completion to the hidden subscriber.
    @inlinable public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    /// `AnySubscriber`.
    public var description: String { "AnySubscriber" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The description.
    public var playgroundDescription: Any { description }
}
