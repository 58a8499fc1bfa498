import HeadgateEngine

extension AnyPublisher {
    /// Publishes what a closure sends, from any thread and at any time.
    ///
    /// ```
    /// create    { subscriber in … }
    ///           1--2----3---|
    /// ```
    ///
    /// ```swift
    /// let numbers = AnyPublisher<Int, Never>.create { subscriber in
    ///     subscriber.send(1)
    ///     subscriber.send(2)
    ///     subscriber.send(completion: .finished)
    ///     return AnyCancellable { print("released") }
    /// }
    /// let listener = numbers.sink { print($0) }
    /// // 1
    /// // 2
    /// // released
    /// ```
    ///
    /// The closure is called once per subscriber, after the subscriber has received its subscription. The cancellable
    /// that the closure returns is cancelled once: when the stream completes, at `cancel()`, or when the subscription
    /// has been released and what was requested has been delivered. To choose a buffering policy, use
    /// `Publishers.emitter(_:failure:buffering:_:)`.
    ///
    /// - **Demand**: values that have not been requested are buffered without a limit.
    /// - **Completion**: when a completion is sent, or the last reference to the subscriber is released, after the
    ///   pending values.
    /// - **Threads**: as for `Publishers.emitter(_:failure:buffering:_:)`.
    /// - **Complexity**: as for `Publishers.emitter(_:failure:buffering:_:)`.
    ///
    /// - Parameter factory: Receives the subscriber, to which it may send from any thread, and returns what is
    ///   cancelled at the end.
    public static func create(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) -> AnyPublisher
    {
        AnyPublisher(factory)
    }

    /// Creates the publisher that `create(_:)` returns.
    public init(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) {
        self = Publishers.Create(factory: factory).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of what a closure sends to each subscriber.
    public struct Create<Output, Failure: Error>: Publisher {
        /// Receives the subscriber to send to, and returns what is cancelled at the end.
        public typealias SubscriberHandler = @Sendable (Subscriber) -> any Cancellable

        @usableFromInline let factory: SubscriberHandler

        /// Creates the publisher that `AnyPublisher.create(_:)` returns.
        public init(factory: @escaping SubscriberHandler) { self.factory = factory }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some HeadgateCore.Subscriber<Output, Failure>) {
            // What the closure returns takes the place of a subscription: it is cancelled if the end has come before it.
            let work = SharedSlot()
            let cleanup = AnyCancellable(work)
            let emitting = Emitting<Output, Failure>(buffering: .unbounded) { emitter in
                emitter.onCancel { cleanup.cancel() }
                let cancellable = factory(Subscriber(emitter: emitter, cleanup: cleanup))
                _ = work.slot.fill(with: OnceConduit(name: "Create", leave: { _ in cancellable.cancel() }))
            }
            emitting.receive(subscriber: subscriber)
        }
    }
}

extension Publishers.Create: Sendable {}

extension Publishers.Create {
    /// Sends to one subscriber, from any thread.
    public struct Subscriber {
        @usableFromInline let emitter: Emitter<Output, Failure>

        @usableFromInline let cleanup: AnyCancellable

        @inlinable init(emitter: Emitter<Output, Failure>, cleanup: AnyCancellable) {
            self.emitter = emitter
            self.cleanup = cleanup
        }

        /// Publishes a value.
        @inlinable public func send(_ input: Output) { emitter.send(input) }

        /// Completes the stream, after the pending values.
        @inlinable public func send(completion: Subscribers.Completion<Failure>) {
            emitter.send(completion: completion)
            cleanup.cancel()
        }
    }
}

extension Publishers.Create.Subscriber: Sendable where Output: Sendable {}
