/// A source of values over time.
///
/// To implement a publisher, conform a type to this protocol by writing `receive(subscriber:)`, and send the subscriber
/// a `Subscription` that follows the contract (`Documentation/Contract.md`).
///
/// A conformance can't be isolated to an actor: streams use it on any thread.
///
/// The members that begin with an underscore let one object serve a run of operators, and save a subscription to a
/// single value. They have defaults, and publishers outside the library don't declare them.
@preconcurrency public protocol Publisher<Output, Failure>: _Fallible {
    /// The type of the published values.
    associatedtype Output

    /// The type of error that the stream may fail with; `Never` if it can't fail.
    override associatedtype Failure: Error

    /// The steps from the first publisher upstream that is no step to this one: none, unless it is a step itself.
    // Has a default: a publisher declares Output and Failure.
    associatedtype _Steps: _Step<Output, Failure> = _NoStep<Output, Failure>

    /// Attaches a subscriber, which receives its subscription first.
    ///
    /// Publishers implement this method; to attach a subscriber, call `subscribe(_:)`.
    func receive(subscriber: some Subscriber<Output, Failure>)

    /// The steps, created anew for each subscriber.
    var _steps: _Steps { get }

    /// Attaches a subscriber to the publisher before the steps.
    func _receive(atRoot subscriber: some Subscriber<_Steps.Input, _Steps.InputFailure>)

    /// The value of a publisher that has one, publishes nothing else, and finishes: it needs no subscription.
    var _soleValue: Output? { get }
}

// Here, and not in `Publisher`, the compiler learns that a failure is an error. It would conclude it there from the steps, whose conformance
// follows from that of the steps before, and in them once more from the failure: so compiling would take twice the time with each step.
/// What may fail.
@preconcurrency public protocol _Fallible: SendableMetatype {
    /// The type of error.
    associatedtype Failure: Error
}

extension Publisher {
    /// None: what the publisher publishes is known only to its subscribers.
    @inlinable public var _soleValue: Output? { nil }

    /// Attaches a subscriber.
    ///
    /// The subscriber receives its subscription first, and nothing else before it requests values.
    @inlinable public func subscribe(_ subscriber: some Subscriber<Output, Failure>) {
        receive(subscriber: subscriber)
    }

    /// Erases the type of the publisher except for its output and failure types.
    ///
    /// ```swift
    /// let even: AnyPublisher<Int, Never> = (1...4).publisher.filter { $0.isMultiple(of: 2) }.eraseToAnyPublisher()
    /// let cancellable = even.sink { print($0) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// **Demand**, **Completion** and **Threads** are those of this publisher. **Complexity**: one more closure call per value.
    @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}
