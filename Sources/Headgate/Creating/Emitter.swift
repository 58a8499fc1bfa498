import HeadgateCombine
import HeadgateCore
import HeadgateEngine

// What threads share is in the conduit, behind a lock; hence unchecked.
/// What an emitter publishes with: it takes values from any thread, and says what becomes of each.
///
/// A copy of the reference may be kept for as long as there is something to send. When the last one goes and the stream
/// has not ended, it finishes: nobody waits for what can't come.
///
/// Values arrive at the subscriber one at a time, in the order in which they were sent, whatever the threads. What is sent
/// from inside a delivery is delivered after it.
public final class Emitter<Output, Failure: Error>: @unchecked Sendable {
    /// What became of a value.
    public enum Answer: Hashable, Sendable {
        /// The value had been requested, and is delivered.
        case sent
        /// The value waits until it is requested.
        case buffered
        /// There was no room for the value.
        case dropped
        /// The stream has ended, or the subscriber has cancelled.
        case finished
    }

    @usableFromInline let conduit: EmitterConduit<Output, Failure>

    @usableFromInline init(_ conduit: EmitterConduit<Output, Failure>) { self.conduit = conduit }

    deinit { conduit.finish(.finished) }

    /// Publishes a value.
    ///
    /// - Returns: What becomes of it.
    @inlinable @discardableResult public func send(_ value: Output) -> Answer {
        switch conduit.send(value) {
        case .sent: .sent
        case .buffered: .buffered
        case .dropped: .dropped
        case .finished: .finished
        }
    }

    /// Ends the stream, after the values that wait.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) { conduit.finish(completion) }

    /// Ends the stream without a failure, after the values that wait.
    @inlinable public func finish() { conduit.finish(.finished) }

    /// Ends the stream with a failure, after the values that wait.
    @inlinable public func fail(_ failure: Failure) { conduit.finish(.failure(failure)) }

    /// How many values have been requested beyond those that were sent; none after the end.
    public var demand: Subscribers.Demand { conduit.demand }

    /// Whether nobody hears any more what is sent.
    public var isFinished: Bool { conduit.isOver }

    /// Has a closure called whenever values are requested, with the number of values that were added.
    ///
    /// What has been requested and not served when this is called, the closure hears at once. It is called by one thread
    /// at a time, outside deliveries, and may send: what is requested meanwhile it hears when it has returned. A second
    /// closure takes the place of the first.
    public func onRequest(_ perform: @escaping @Sendable (Subscribers.Demand) -> Void) { conduit.onRequest(perform) }

    /// Has a closure called, once, when there is nobody left to send to though the emitter has not ended the stream.
    ///
    /// The subscriber has cancelled, or let go of its subscription, or the stream has failed because there was no room. If
    /// that has happened already, the closure is called at once. A second closure takes the place of the first.
    public func onCancel(_ perform: @escaping @Sendable () -> Void) { conduit.onCancel(perform) }

    /// Has a closure called with each value that is dropped, on the thread that sends.
    ///
    /// A second closure takes the place of the first.
    public func onDrop(_ perform: @escaping @Sendable (Output) -> Void) { conduit.onDrop(perform) }
}

extension Publishers {
    /// What an emitter does with values that have not been requested.
    public enum EmitterBuffering<Failure: Error> {
        /// All of them are kept.
        case unbounded

        /// So many are kept, zero or more, and the overflow decides about one more.
        case bounded(Int, Overflow)

        /// The most recent one is kept.
        case latest

        /// They are dropped.
        case none

        /// What happens to a value for which there is no room.
        public enum Overflow {
            /// The oldest value that is kept is dropped.
            case dropOldest
            /// The value is dropped.
            case dropNewest
            /// The value is dropped, and the stream fails after the values that are kept.
            case fail(Failure)
        }
    }

    /// Publishes what a closure, and whatever the closure hands its emitter to, sends: the bridge from callbacks.
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
    /// The closure is called for each subscriber, when it has its subscription.
    ///
    /// - **Demand**: a value that has been requested is delivered, on the thread that sends it, before `send` returns,
    ///   unless it is sent from inside a delivery or another thread has been delivering for a millisecond. Any other is
    ///   kept or dropped as `buffering` says.
    /// - **Completion**: when the emitter ends the stream or the last reference to it goes, after the values that wait.
    /// - **Complexity**: two locks and one drain per value.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - failure: The type of the failure.
    ///   - buffering: What becomes of values that have not been requested.
    ///   - start: Gets the emitter, which it may keep.
    public static func emitter<Output, Failure: Error>(
        _ output: Output.Type = Output.self, failure: Failure.Type, buffering: EmitterBuffering<Failure>,
        _ start: @escaping StreamClosure<Emitter<Output, Failure>, Void>
    ) -> Emitting<Output, Failure> {
        Emitting(buffering: buffering, start: start)
    }

    /// Publishes what a closure, and whatever the closure hands its emitter to, sends, and does not fail.
    ///
    /// As `emitter(_:failure:buffering:_:)`, for a stream that can't fail.
    ///
    /// - **Demand**, **Completion** and **Complexity** are the same.
    ///
    /// - Parameters:
    ///   - output: The type of the values.
    ///   - buffering: What becomes of values that have not been requested.
    ///   - start: Gets the emitter, which it may keep.
    public static func emitter<Output>(
        _ output: Output.Type = Output.self, buffering: EmitterBuffering<Never>,
        _ start: @escaping StreamClosure<Emitter<Output, Never>, Void>
    ) -> Emitting<Output, Never> {
        Emitting(buffering: buffering, start: start)
    }

    /// A publisher of what an emitter sends.
    public struct Emitting<Output, Failure: Error>: Publisher {
        /// What becomes of values that have not been requested.
        public let buffering: EmitterBuffering<Failure>

        /// Gets an emitter for each subscriber.
        public let start: StreamClosure<Emitter<Output, Failure>, Void>

        /// Makes the publisher that `emitter(_:failure:buffering:_:)` returns.
        ///
        /// A negative bound is a programmer's error and traps.
        public init(
            buffering: EmitterBuffering<Failure>, start: @escaping StreamClosure<Emitter<Output, Failure>, Void>
        ) {
            if case .bounded(let count, _) = buffering, count < 0 {
                programmerError(
                    rule: "The bound of an emitter is a number of values.", found: "bounded(\(count))",
                    remedy: "Use .none to keep nothing.")
            }
            self.buffering = buffering
            self.start = start
        }

        /// Connects a subscriber to an emitter of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = EmitterConduit<Output, Failure>(
                capacity: buffering.capacity, whenFull: buffering.whenFull, AnySubscriber(subscriber))
            subscriber.receive(subscription: SourceSubscription(conduit, name: "Emitter", isPatient: false))
            if !conduit.isOver { start(Emitter(conduit)) }
        }
    }
}

extension Publishers.Emitting: StrictlySendable {}

extension Publishers.EmitterBuffering {
    var capacity: Int {
        switch self {
        case .unbounded: .max
        case .bounded(let count, _): count
        case .latest: 1
        case .none: 0
        }
    }

    var whenFull: EmitterOverflow<Failure> {
        switch self {
        case .bounded(_, .fail(let failure)): .fail(failure)
        case .bounded(_, .dropOldest), .latest: .dropOldest
        case .bounded(_, .dropNewest), .unbounded, .none: .dropNewest
        }
    }
}

extension Publishers.EmitterBuffering: Sendable {}

extension Publishers.EmitterBuffering.Overflow: Sendable {}
