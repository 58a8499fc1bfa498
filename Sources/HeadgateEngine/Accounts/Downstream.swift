import HeadgateCore

/// The subscriber that a conduit serves, until it is released.
///
/// The closures can't be copied out and are called in place, so a delivery retains nothing. It must not be released
/// during a delivery: both are up to the owner of the conduit's drain.
@usableFromInline package enum Downstream<Input, Failure: Error>: ~Copyable {
    case there(
        receiveValue: (Input) -> Subscribers.Demand, receiveCompletion: (Subscribers.Completion<Failure>) -> Void)
    case released

    @inlinable package init(_ subscriber: AnySubscriber<Input, Failure>) {
        self = .there(receiveValue: subscriber.onValue, receiveCompletion: subscriber.onCompletion)
    }

    /// Whether the subscriber has not been released.
    @inlinable package var isThere: Bool {
        switch self {
        case .there: true
        case .released: false
        }
    }

    /// Delivers a value, unless the subscriber has been released.
    @inlinable @inline(__always) package func receive(_ value: Input) -> Subscribers.Demand {
        switch self {
        case .there(let receiveValue, _): receiveValue(value)
        case .released: .none
        }
    }

    /// The closure that delivers a value, unless the subscriber has been released: for a conduit that may be released during a
    /// delivery.
    @inlinable package var receiveValue: ((Input) -> Subscribers.Demand)? {
        switch self {
        case .there(let receiveValue, _): receiveValue
        case .released: nil
        }
    }

    /// Releases the subscriber.
    ///
    /// - Returns: The closure that delivers the completion, unless the subscriber had been released.
    @inlinable package mutating func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        switch exchange(&self, with: .released) {
        case .there(_, let receiveCompletion): receiveCompletion
        case .released: nil
        }
    }
}
