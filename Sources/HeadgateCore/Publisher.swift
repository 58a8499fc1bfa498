/// A source of values over time.
///
/// To implement a publisher, conform a type to this protocol by writing `receive(subscriber:)`, and send the subscriber
/// a `Subscription` that follows the contract (`Documentation/Contract.md`).
///
/// Under the trait `StrictClosures`, a conformance can't be isolated to an actor: streams use it on any thread.
///
/// The members that begin with an underscore let one object serve a run of operators, and save a subscription to a
/// single value. They have defaults, and publishers outside the library don't declare them.
public protocol Publisher<Output, Failure>: StrictlySendableMetatype {
    /// The type of the published values.
    associatedtype Output

    /// The type of error that the stream may fail with; `Never` if it can't fail.
    associatedtype Failure: Error

    /// How the steps that follow this publisher are fused with it: not, unless it is a step itself.
    // Has a default: a publisher declares Output and Failure. Its base is this type, or the class that conforms and that
    // this type inherits from; a requirement that it is `Self` would exclude every class that isn't final.
    associatedtype _Fusion: _StepFusion = _RootFusion<Self>
    where _Fusion.Base.Output == Output, _Fusion.Base.Failure == Failure

    /// Attaches a subscriber, which receives its subscription first.
    ///
    /// Publishers implement this method; to attach a subscriber, call `subscribe(_:)`.
    func receive(subscriber: some Subscriber<Output, Failure>)

    /// The value of a publisher that has one, publishes nothing else, and finishes: it needs no subscription.
    var _soleValue: Output? { get }
}

extension Publisher {
    /// None: what the publisher publishes is known only to its subscribers.
    @inlinable public var _soleValue: Output? { nil }
}

extension Publisher {
    /// Attaches a subscriber.
    ///
    /// The subscriber receives its subscription first, and nothing else before it requests values.
    @inlinable public func subscribe(_ subscriber: some Subscriber<Output, Failure> & StrictlySendable) {
        receive(subscriber: subscriber)
    }

    #if StrictClosures
        // One thread at a time calls what the library attaches, and nothing else refers to it.
        @inlinable package func subscribe(_ subscriber: some Subscriber<Output, Failure>) {
            receive(subscriber: subscriber)
        }
    #endif

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
    @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> where Self: StrictlySendable {
        AnyPublisher(self)
    }
}
