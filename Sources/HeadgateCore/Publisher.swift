/// A source of values over time.
///
/// To publish something of your own, conform a type to this protocol by writing `receive(subscriber:)`, and hand the
/// subscriber a `Subscription` that keeps to the contract (`Documentation/Contract.md`).
///
/// The two members that begin with an underscore let a run of operators be served by one object; they have defaults,
/// and a publisher of your own leaves them alone.
public protocol Publisher<Output, Failure> {
    /// The kind of values that are published.
    associatedtype Output

    /// The kind of error that may end the stream; `Never` where there is none.
    associatedtype Failure: Error

    /// The publisher at which the run of steps that ends here begins: this one, unless it is itself a step.
    associatedtype _Root: Publisher = Self  // Has a default: a publisher declares Output and Failure.

    /// What happens to a value of the root on its way here.
    associatedtype _Steps: _Step = _NoStep<Output, Failure>  // Has a default: a publisher declares Output and Failure.
    where
        _Steps.Input == _Root.Output, _Steps.InputFailure == _Root.Failure,
        _Steps.Output == Output, _Steps.OutputFailure == Failure

    /// Connects a subscriber, which will hear `receive(subscription:)` first.
    ///
    /// This is for publishers to implement; to attach a subscriber, call `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure

    /// The publisher at which the run of steps that ends here begins.
    var _root: _Root { get }

    /// What happens to a value of the root on its way here, freshly made for one subscriber.
    var _steps: _Steps { get }
}

extension Publisher where _Root == Self {
    /// The publisher itself.
    @inlinable public var _root: Self { self }
}

extension Publisher where _Steps == _NoStep<Output, Failure> {
    /// Nothing.
    @inlinable public var _steps: _NoStep<Output, Failure> { _NoStep() }
}

extension Publisher {
    /// Attaches a subscriber.
    ///
    /// The subscriber hears `receive(subscription:)` first, and nothing else before it asks for values.
    @inlinable public func subscribe<S: Subscriber & StrictlySendable>(_ subscriber: S)
    where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    #if StrictClosures
        // What the library itself attaches is called by one thread at a time, and nobody else has it.
        @inlinable package func subscribe<S: Subscriber>(_ subscriber: S)
        where S.Input == Output, S.Failure == Failure {
            receive(subscriber: subscriber)
        }
    #endif

    /// Hides what the publisher is made of behind its output and failure types.
    ///
    /// ```swift
    /// let even: AnyPublisher<Int, Never> = (1...4).publisher.filter { $0.isMultiple(of: 2) }.eraseToAnyPublisher()
    /// let cancellable = even.sink { print($0) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// **Demand** and **Completion** are those of this publisher. **Complexity**: one more closure call a value.
    @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> where Self: StrictlySendable {
        AnyPublisher(self)
    }
}
