import HeadgateCore

/// The subscriber that a conduit serves, until it is released.
///
/// The closures can't be copied out and are called in place, so a delivery retains nothing. It must not be released
/// during a delivery: both are up to the owner of the conduit's drain.
@usableFromInline package struct Downstream<Input, Failure: Error>: ~Copyable {
    @usableFromInline package struct Closures: ~Copyable {
        @usableFromInline package let receiveValue: (Input) -> Subscribers.Demand

        @usableFromInline package let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

        @inlinable package init(_ subscriber: AnySubscriber<Input, Failure>) {
            receiveValue = subscriber.onValue
            receiveCompletion = subscriber.onCompletion
        }
    }

    @usableFromInline package var closures: Closures?

    @inlinable package init(_ subscriber: AnySubscriber<Input, Failure>) { closures = Closures(subscriber) }

    /// Creates one without a subscriber.
    @inlinable package init() { closures = nil }

    /// Whether the subscriber has not been released.
    @inlinable package var isThere: Bool { closures != nil }

    /// Delivers a value, unless the subscriber has been released.
    @inlinable @inline(__always) package func receive(_ value: Input) -> Subscribers.Demand {
        switch closures {
        case .some(let closures): closures.receiveValue(value)
        case .none: .none
        }
    }

    /// The closure that delivers a value, unless the subscriber has been released: for a conduit that may be released during a
    /// delivery.
    @inlinable package var receiveValue: ((Input) -> Subscribers.Demand)? {
        switch closures {
        case .some(let closures): closures.receiveValue
        case .none: nil
        }
    }

    /// Releases the subscriber.
    ///
    /// - Returns: The closure that delivers the completion, unless the subscriber had been released.
    @inlinable package mutating func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        guard let closures = closures.take() else { return nil }
        return closures.receiveCompletion
    }
}
