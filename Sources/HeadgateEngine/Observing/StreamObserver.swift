import HeadgateCore

/// Observes what passes a place in a stream.
///
/// Every method does nothing by default, which costs nothing: conduits are generic over their observer. Events from
/// upstream arrive one after the other, signals from downstream at any time.
@usableFromInline package protocol StreamObserver<Value, Failure> {
    associatedtype Value

    associatedtype Failure: Error

    /// Called with each subscription that arrives, even one that is refused.
    func offered(_ subscription: any Subscription)

    /// Called before the subscription is forwarded.
    func subscribed()

    /// Called before a value is forwarded.
    func received(_ value: Value)

    /// Called with the demand returned for a value, if there is any.
    func answered(_ demand: Subscribers.Demand)

    /// Called before the completion is forwarded.
    func completed(_ completion: Subscribers.Completion<Failure>)

    /// Called when the completion has been forwarded.
    func ended()

    /// Called with a value that arrives after the end or after `cancel()`.
    func dropped(_ value: Value)

    /// Called with a completion that arrives after the end or after `cancel()`.
    func dropped(completion: Subscribers.Completion<Failure>)

    /// What to call before a signal is forwarded upstream; read once per subscriber.
    var notify: ((Signal) -> Void)? { get }
}

extension StreamObserver {
    @inlinable package func offered(_ subscription: any Subscription) {}

    @inlinable package func subscribed() {}

    @inlinable package func received(_ value: Value) {}

    @inlinable package func answered(_ demand: Subscribers.Demand) {}

    @inlinable package func completed(_ completion: Subscribers.Completion<Failure>) {}

    @inlinable package func ended() {}

    @inlinable package func dropped(_ value: Value) {}

    @inlinable package func dropped(completion: Subscribers.Completion<Failure>) { Undeliverable.note(completion) }

    @inlinable package var notify: ((Signal) -> Void)? { nil }
}

/// Observes a stream with closures.
@usableFromInline package struct ClosureObserver<Value, Failure: Error>: StreamObserver {
    @usableFromInline package var subscription: ((any Subscription) -> Void)?

    @usableFromInline package var value: ((Value) -> Void)?

    @usableFromInline package var completion: ((Subscribers.Completion<Failure>) -> Void)?

    @usableFromInline package var request: ((Subscribers.Demand) -> Void)?

    /// Called with the demand returned for a value.
    @usableFromInline package var answer: ((Subscribers.Demand) -> Void)?

    @usableFromInline package var cancel: (() -> Void)?

    @inlinable package init() {}

    @inlinable package func offered(_ subscription: any Subscription) { self.subscription?(subscription) }

    @inlinable @inline(__always) package func received(_ value: Value) { self.value?(value) }

    @inlinable @inline(__always) package func answered(_ demand: Subscribers.Demand) { answer?(demand) }

    @inlinable package func completed(_ completion: Subscribers.Completion<Failure>) { self.completion?(completion) }

    @inlinable package var notify: ((Signal) -> Void)? {
        if request == nil, cancel == nil { return nil }
        return { [request, cancel] signal in
            switch signal {
            case .request(let demand): request?(demand)
            case .cancel: cancel?()
            }
        }
    }
}
