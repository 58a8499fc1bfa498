import HeadgateEngine

/// Sends values to one subscriber from any thread, and reports what happened to each.
///
/// Keep a reference for as long as there is something to send. When the last reference is released and the stream has
/// not completed, it finishes.
///
/// The subscriber receives values one at a time, in the order in which they were sent, whichever thread sent them. A
/// value sent from inside a delivery is delivered after it.
public final class Emitter<Output, Failure: Error> {
    /// What happened to a value.
    public enum Answer: Hashable, Sendable {
        /// The value had been requested, and is delivered.
        case sent
        /// The value waits for demand.
        case buffered
        /// There was no room for the value.
        case dropped
        /// The stream has completed, or the subscriber has cancelled.
        case finished
    }

    @usableFromInline let conduit: EmitterConduit<Output, Failure>

    @usableFromInline init(_ conduit: EmitterConduit<Output, Failure>) { self.conduit = conduit }

    deinit { conduit.finish(.finished) }

    /// Publishes a value.
    ///
    /// - Returns: What happened to the value.
    @inlinable @discardableResult public func send(_ value: Output) -> Answer {
        conduit.send(value)
    }

    /// Publishes a value, together with others at the next `serve()`.
    @inlinable package func keep(_ value: Output) { _ = conduit.accept(value) }

    /// Delivers the values that have been kept.
    @inlinable package func serve() { conduit.serve() }

    /// Delivers the values that have been kept, or leaves that to a thread that is delivering.
    @inlinable package func serveOrLeave() { conduit.serveOrLeave() }

    /// Completes the stream, after the pending values.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) { conduit.finish(completion) }

    /// Finishes the stream, after the pending values.
    @inlinable public func finish() { conduit.finish(.finished) }

    /// Fails the stream, after the pending values.
    @inlinable public func fail(_ failure: Failure) { conduit.finish(.failure(failure)) }

    /// The outstanding demand; `.none` after the completion.
    @inlinable public var demand: Subscribers.Demand { conduit.demand }

    /// Whether the stream has completed or the subscriber has cancelled.
    @inlinable public var isFinished: Bool { conduit.isOver }

    /// Sets a closure to call whenever values are requested, with the demand that was added.
    ///
    /// Demand that is outstanding when this method is called is reported at once. The closure is called by one thread
    /// at a time, outside deliveries, and may send; demand that arrives while it runs is reported after it has
    /// returned. A second closure replaces the first.
    @inlinable public func onRequest(_ perform: @escaping @Sendable (Subscribers.Demand) -> Void) {
        conduit.onRequest(perform)
    }

    /// Sets a closure to call, once, when the stream has ended without the emitter.
    ///
    /// That is so when the subscriber has cancelled, or has released its subscription and received what it had
    /// requested, or when the stream has failed because there was no room. If that has happened already, the closure
    /// is called at once. A second closure replaces the first.
    @inlinable public func onCancel(_ perform: @escaping @Sendable () -> Void) { conduit.onCancel(perform) }

    /// Sets a closure to call with each value that is dropped, on the sending thread.
    ///
    /// A second closure replaces the first.
    @inlinable public func onDrop(_ perform: @escaping @Sendable (Output) -> Void) { conduit.onDrop(perform) }
}

// Threads share only the conduit, which a lock guards, and the values.
extension Emitter: @unchecked Sendable where Output: Sendable {}

extension Publishers {
    /// How an emitter buffers values that have not been requested.
    public enum EmitterBuffering<Failure: Error> {
        /// Keeps all values.
        case unbounded

        /// Keeps at most this many values, zero or more; the overflow policy decides about one more.
        case bounded(Int, Overflow)

        /// Keeps the most recent value.
        case latest

        /// Drops them.
        case none

        /// What happens to a value when the buffer is full.
        public enum Overflow {
            /// Drops the oldest buffered value.
            case dropOldest
            /// Drops the new value.
            case dropNewest
            /// Drops the new value, and fails the stream after the buffered values.
            case fail(Failure)
        }
    }

    /// Publishes what a closure sends, from any thread and at any time: the bridge from callbacks.
    ///
    /// ```
    /// emitter      1---2---3---4---|
    /// subscriber   ^2----------^1--^1
    /// emitter(buffering: .latest)
    ///              1---2-------3---4|
    /// ```
    ///
    /// ```swift
    /// let ticks = Publishers.emitter(Int.self, buffering: .bounded(2, .dropOldest)) { emitter in
    ///     for tick in 1...4 { print(emitter.send(tick)) }
    ///     emitter.finish()
    /// }
    /// let listener = ticks.prefix(3).sink { print($0) }
    /// // 1
    /// // sent
    /// // 2
    /// // sent
    /// // 3
    /// // sent
    /// // finished
    /// ```
    ///
    /// The closure is called once per subscriber, after the subscriber has received its subscription.
    ///
    /// - **Demand**: a requested value is delivered on the sending thread, before `send` returns, except where rule 3.6
    ///   of the contract says otherwise. Any other value is buffered or dropped according to `buffering`.
    /// - **Completion**: when the emitter completes the stream or its last reference is released, after the pending
    ///   values.
    /// - **Threads**: the closure is called on the subscribing thread. Values are delivered on the sending thread, or
    ///   on that of the request that they have waited for; by a thread that is delivering already, if there is one
    ///   (rule 3.6 of the contract).
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - failure: The type of the failure.
    ///   - buffering: How to buffer values that have not been requested.
    ///   - start: Receives the emitter, and may keep it.
    @preconcurrency @inlinable public static func emitter<Output, Failure: Error>(
        _ output: Output.Type = Output.self, failure: Failure.Type, buffering: EmitterBuffering<Failure>,
        _ start: @escaping @Sendable (Emitter<Output, Failure>) -> Void
    ) -> Emitting<Output, Failure> {
        Emitting(buffering: buffering, start: start)
    }

    /// Publishes what a closure sends, from any thread and at any time, to a stream that never fails.
    ///
    /// See `emitter(_:failure:buffering:_:)`.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity** are the same.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - buffering: How to buffer values that have not been requested.
    ///   - start: Receives the emitter, and may keep it.
    @preconcurrency @inlinable public static func emitter<Output>(
        _ output: Output.Type = Output.self, buffering: EmitterBuffering<Never>,
        _ start: @escaping @Sendable (Emitter<Output, Never>) -> Void
    ) -> Emitting<Output, Never> {
        Emitting(buffering: buffering, start: start)
    }

    /// A publisher of the values sent by an emitter.
    public struct Emitting<Output, Failure: Error>: Publisher {
        /// How to buffer values that have not been requested.
        public let buffering: EmitterBuffering<Failure>

        /// Receives an emitter for each subscriber.
        public let start: @Sendable (Emitter<Output, Failure>) -> Void

        /// Creates the publisher that `emitter(_:failure:buffering:_:)` returns.
        ///
        /// A negative bound traps.
        @preconcurrency @inlinable public init(
            buffering: EmitterBuffering<Failure>, start: @escaping @Sendable (Emitter<Output, Failure>) -> Void
        ) {
            require(
                buffering.capacity >= 0, rule: "The bound of an emitter is a number of values and can't be negative.",
                found: "bounded(\(buffering.capacity))", remedy: "Use .none to buffer nothing.")
            self.buffering = buffering
            self.start = start
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = EmitterConduit<Output, Failure>(
                capacity: buffering.capacity, whenFull: buffering.whenFull, AnySubscriber(subscriber))
            SourceSubscription(conduit, name: "Emitter", isPatient: false).send(to: subscriber)
            if !conduit.isOver { start(Emitter(conduit)) }
        }
    }
}

extension Publishers.Emitting: Sendable {}

extension Publishers.EmitterBuffering {
    @inlinable var capacity: Int {
        switch self {
        case .unbounded: .max
        case .bounded(let count, _): count
        case .latest: 1
        case .none: 0
        }
    }

    @inlinable var whenFull: Overflow {
        switch self {
        case .bounded(_, .fail(let failure)): .fail(failure)
        case .bounded(_, .dropOldest), .latest: .dropOldest
        case .bounded(_, .dropNewest), .unbounded, .none: .dropNewest
        }
    }
}

extension Publishers.EmitterBuffering: Sendable {}

extension Publishers.EmitterBuffering.Overflow: Sendable {}
