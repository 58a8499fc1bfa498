import HeadgateEngine
import Synchronization

extension Publisher {
    /// Transforms a value into a publisher, and drops the values that arrive before that publisher has finished.
    ///
    /// `onDrop` receives them. To keep them, use `concatMap`, with a `buffer` before it if upstream can't wait; to drop
    /// the earlier ones instead, `flatMapLatest`.
    ///
    /// ```
    /// self          1--2-----3---------|
    /// flatMapFirst  a--b--c-|
    ///                        a--b--c-|
    ///               1a-1b-1c-3a-3b-3c--|
    /// ```
    ///
    /// ```swift
    /// let taps = PassthroughSubject<Int, Never>()
    /// let replies = PassthroughSubject<String, Never>()
    /// let cancellable = taps
    ///     .flatMapFirst(onDrop: { print("dropped", $0) }) { tap in replies.first().map { "\(tap) \($0)" } }
    ///     .sink { print($0) }
    /// taps.send(1)
    /// taps.send(2)
    /// // dropped 2
    /// replies.send("sent")
    /// // 1 sent
    /// ```
    ///
    /// - **Demand**: forwarded to the active publisher; demand that it has not served is requested from the next.
    ///   With the first demand, requests unlimited values from upstream.
    /// - **Completion**: finishes when upstream and the active publisher have finished. Fails at once when either
    ///   fails, and cancels the other.
    /// - **Threads**: the closures are called on the thread on which upstream delivers. A value is delivered on the
    ///   thread of the active publisher, whose completion on another thread lets upstream's next value pass.
    /// - **Complexity**: constant time per value and publisher.
    ///
    /// - Parameters:
    ///   - onDrop: Called with each dropped value, on the sending thread.
    ///   - transform: Creates a publisher from a value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func flatMapFirst<P: Publisher>(
        onDrop: @escaping @Sendable (Output) -> Void, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapFirst<P, Self> where Failure == P.Failure {
        Publishers.FlatMapFirst(upstream: self, transform: transform, onDrop: onDrop)
    }

    /// Transforms a value into a publisher, and drops the values that arrive before that publisher has finished.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMapFirst(onDrop:_:)`.
    ///
    /// - Parameter transform: Creates a publisher from a value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapFirst<P, Self> where Failure == P.Failure {
        Publishers.FlatMapFirst(upstream: self, transform: transform, onDrop: nil)
    }
}

extension Publishers {
    /// A publisher that transforms values into publishers, and drops values while one of these is active.
    public struct FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher from a value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Called with each dropped value.
        public let onDrop: (@Sendable (Upstream.Output) -> Void)?

        /// Creates the publisher that `flatMapFirst(onDrop:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher,
            onDrop: (@Sendable (Upstream.Output) -> Void)? = nil
        ) {
            self.upstream = upstream
            self.transform = transform
            self.onDrop = onDrop
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let step = ExclusiveStep<Upstream.Output, Failure, NewPublisher>(
                turn: ExclusiveTurn(), transform: transform,
                onDrop: QueueCounts.counting(Undeliverable.reporting(onDrop, by: "flatMapFirst")))
            SwitchConduit.connect(Publishers.Stepped(upstream, step), name: "FlatMapFirst", to: subscriber)
        }
    }
}

extension Publishers.FlatMapFirst: Sendable where Upstream: Sendable {}

/// What `flatMapFirst` does to a value.
@usableFromInline struct ExclusiveStep<Input, InputFailure: Error, NewPublisher: Publisher>: _Step {
    @usableFromInline typealias Output = TurnPublisher<NewPublisher>

    @usableFromInline let turn: Output.Turn

    @usableFromInline let transform: (Input) -> NewPublisher

    @usableFromInline let onDrop: ((Input) -> Void)?

    @inlinable init(
        turn: Output.Turn, transform: @escaping (Input) -> NewPublisher, onDrop: ((Input) -> Void)?
    ) {
        (self.turn, self.transform, self.onDrop) = (turn, transform, onDrop)
    }

    @inlinable mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        if turn.isTaken {
            onDrop?(input)
            return .skip
        }
        forward(TurnPublisher(upstream: transform(input), turn: turn))
        return .next
    }
}

/// Whether an inner publisher is active, for one subscriber of `flatMapFirst`.
///
/// Upstream's deliveries, which are serial, take it; so nothing happens between looking and taking it.
@usableFromInline final class ExclusiveTurn<Value, Failure: Error>: StreamObserver {
    @usableFromInline let state = Atomic(false)

    @inlinable init() {}

    @inlinable var isTaken: Bool { state.load(ordering: .acquiring) }

    @inlinable func begin() { state.store(true, ordering: .relaxed) }

    /// After the completion has been delivered: earlier, the next publisher could replace one whose failure has not been
    /// delivered yet.
    @inlinable func ended() { state.store(false, ordering: .releasing) }
}

/// A publisher that takes its turn when it is subscribed to, and frees it after its completion has been delivered.
@usableFromInline struct TurnPublisher<Upstream: Publisher>: Publisher {
    @usableFromInline typealias Output = Upstream.Output

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline typealias Turn = ExclusiveTurn<Output, Failure>

    @usableFromInline let upstream: Upstream

    @usableFromInline let turn: Turn

    @inlinable init(upstream: Upstream, turn: Turn) {
        self.upstream = upstream
        self.turn = turn
    }

    @inlinable var _soleValue: Output? { upstream._soleValue }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        turn.begin()
        upstream.receive(subscriber: TransparentConduit(turn, subscriber))
    }
}
