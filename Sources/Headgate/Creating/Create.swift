import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension AnyPublisher {
    /// Publishes what a closure, and whatever the closure hands its subscriber to, sends.
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
    /// The closure is called for each subscriber, when it has its subscription. What the closure returns is cancelled
    /// once: when the stream ends, at `cancel()`, or when the subscription is let go of. To decide what becomes of values
    /// that have not been requested, take `Publishers.emitter(_:failure:buffering:_:)`.
    ///
    /// - **Demand**: values that have not been requested are kept, however many.
    /// - **Completion**: when the subscriber is sent one, or nothing holds it any more, after the values that wait.
    /// - **Complexity**: as with `Publishers.emitter(_:failure:buffering:_:)`.
    ///
    /// - Parameter factory: Gets the means to send, from any thread, and answers how to stop.
    public static func create(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) -> AnyPublisher
    {
        AnyPublisher(factory)
    }

    /// Makes the publisher that `create(_:)` returns.
    public init(_ factory: @escaping Publishers.Create<Output, Failure>.SubscriberHandler) {
        self = Publishers.Create(factory: factory).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of what a closure sends to each subscriber.
    public struct Create<Output, Failure: Error>: Publisher {
        /// Gets the means to send, and answers how to stop.
        public typealias SubscriberHandler = StreamClosure<Subscriber, any Cancellable>

        let factory: SubscriberHandler

        /// Makes the publisher that `AnyPublisher.create(_:)` returns.
        public init(factory: @escaping SubscriberHandler) { self.factory = factory }

        /// Connects a subscriber.
        public func receive(subscriber: some HeadgateCore.Subscriber<Output, Failure>) {
            let cleanup = Cleanup()
            let emitting = Emitting<Output, Failure>(buffering: .unbounded) { emitter in
                emitter.onCancel { cleanup.perform() }
                cleanup.set(factory(Subscriber(emitter: emitter, cleanup: cleanup)))
            }
            emitting.receive(subscriber: subscriber)
        }
    }
}

extension Publishers.Create: StrictlySendable {}

extension Publishers.Create {
    /// The means to send to one subscriber, from any thread.
    public struct Subscriber: Sendable {
        let emitter: Emitter<Output, Failure>

        let cleanup: Cleanup

        /// Publishes a value.
        public func send(_ input: Output) { emitter.send(input) }

        /// Ends the stream, after the values that wait.
        public func send(completion: Subscribers.Completion<Failure>) {
            emitter.send(completion: completion)
            cleanup.perform()
        }
    }
}

/// What is to be cancelled, once, when it is known and its time has come.
final class Cleanup: Sendable {
    private enum State {
        case waiting((any Cancellable)?)
        case done
    }

    private let state = Guarded(State.waiting(nil))

    func set(_ cancellable: any Cancellable) {
        nonisolated(unsafe) let cancellable = cancellable
        let isDone = state.withLock { state in
            if case .done = state { return true }
            state = .waiting(cancellable)
            return false
        }
        if isDone { cancellable.cancel() }
    }

    func perform() {
        let cancellable: (any Cancellable)? = state.withLock { state in
            guard case .waiting(let cancellable) = state else { return nil }
            state = .done
            return cancellable
        }
        cancellable?.cancel()
    }

    deinit { perform() }
}
