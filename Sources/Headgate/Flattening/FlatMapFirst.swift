import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

extension Publisher {
    /// Makes a publisher of a value, publishes what it publishes, and drops the values that come before it has finished.
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
    /// - **Demand**: passed on to the present publisher; what one has not served is requested from the next. Upstream is
    ///   requested everything from.
    /// - **Completion**: finishes when upstream and the present publisher have finished. Fails at once when either does,
    ///   and cancels the other.
    /// - **Complexity**: constant time per value and publisher.
    ///
    /// - Parameters:
    ///   - onDrop: Told of each value that is dropped, on the thread that sent it.
    ///   - transform: Makes a publisher of a value. Called on the thread that delivers the value.
    @inlinable public func flatMapFirst<P: Publisher & StrictlySendableMetatype>(
        onDrop: @escaping StreamClosure<Output, Void>, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapFirst<P, Self> where Failure == P.Failure {
        Publishers.FlatMapFirst(upstream: self, transform: transform, onDrop: onDrop)
    }

    /// Makes a publisher of a value, publishes what it publishes, and drops the values that come before it has finished.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMapFirst(onDrop:_:)`.
    ///
    /// - Parameter transform: Makes a publisher of a value. Called on the thread that delivers the value.
    @inlinable public func flatMapFirst<P: Publisher & StrictlySendableMetatype>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapFirst<P, Self> where Failure == P.Failure {
        Publishers.FlatMapFirst(upstream: self, transform: transform, onDrop: nil)
    }
}

extension Publishers {
    /// A publisher of what one publisher at a time publishes, each made of a value of another publisher.
    public struct FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The values of the publishers that are made.
        public typealias Output = NewPublisher.Output

        /// The errors of upstream, and of the publishers that are made.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are made into publishers.
        public let upstream: Upstream

        /// What makes a publisher of a value.
        public let transform: StreamClosure<Upstream.Output, NewPublisher>

        /// What is told of a value that is dropped.
        public let onDrop: StreamClosure<Upstream.Output, Void>?

        /// Makes the publisher that `flatMapFirst(onDrop:_:)` returns.
        @inlinable public init(
            upstream: Upstream, transform: @escaping StreamClosure<Upstream.Output, NewPublisher>,
            onDrop: StreamClosure<Upstream.Output, Void>? = nil
        ) {
            self.upstream = upstream
            self.transform = transform
            self.onDrop = onDrop
        }

        /// Connects a subscriber to the publishers that will be made.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let turn = ExclusiveTurn()
            let onDrop = Undeliverable.telling(onDrop)
            let publishers =
                upstream
                .filter(
                    serially { value in
                        if turn.begin() { return true }
                        onDrop?(value)
                        return false
                    }
                )
                .map(serially { [transform] in TurnPublisher(upstream: transform($0), turn: turn) })
            SwitchConduit.connect(publishers, name: "FlatMapFirst", to: subscriber)
        }
    }
}

extension Publishers.FlatMapFirst: StrictlySendable where Upstream: StrictlySendable {}

/// Whether a publisher is going, for one subscriber of `flatMapFirst`.
@usableFromInline final class ExclusiveTurn: Sendable {
    @usableFromInline let isTaken = Atomic(false)

    @inlinable init() {}

    /// Takes the turn.
    ///
    /// - Returns: Whether nobody had it.
    @inlinable func begin() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }

    @inlinable func end() { isTaken.store(false, ordering: .releasing) }
}

/// A publisher that gives up its turn after its end has been heard.
@usableFromInline struct TurnPublisher<Upstream: Publisher>: Publisher {
    @usableFromInline typealias Output = Upstream.Output

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let upstream: Upstream

    @usableFromInline let turn: ExclusiveTurn

    @inlinable init(upstream: Upstream, turn: ExclusiveTurn) {
        self.upstream = upstream
        self.turn = turn
    }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        upstream.receive(subscriber: TurnSubscriber(downstream: subscriber, turn: turn))
    }
}

/// What gives up the turn.
@usableFromInline struct TurnSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let downstream: Downstream

    @usableFromInline let turn: ExclusiveTurn

    @inlinable init(downstream: Downstream, turn: ExclusiveTurn) {
        self.downstream = downstream
        self.turn = turn
    }

    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    @inlinable func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

    // After the end, or the next publisher could take the place of one whose failure has not been heard.
    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        downstream.receive(completion: completion)
        turn.end()
    }
}
