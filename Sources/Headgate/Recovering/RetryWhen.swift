import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again after a failure, when another publisher, which receives the failures,
    /// publishes.
    ///
    /// ```
    /// self      1-2-x
    /// trigger       ----t
    /// again             1-2-|
    ///           1-2-----1-2-|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// struct Problem: Error {}
    /// let attempts = Atomic(0)
    /// let answer = Deferred {
    ///     let attempt = attempts.add(1, ordering: .relaxed).newValue
    ///     return attempt < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(attempt)
    /// }
    ///     .retryWhen { failures in failures.prefix(5) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 3
    /// // finished
    /// ```
    ///
    /// The closure is called once per subscriber. It receives the failures, and its result is subscribed to before this
    /// publisher. A value of the trigger that arrives while no attempt has failed is ignored.
    ///
    /// - **Demand**: forwarded. Demand that one attempt has not served is requested from the next. Requests unlimited
    ///   values from the trigger.
    /// - **Completion**: finishes when an attempt finishes. If the trigger has completed, the stream ends with the next
    ///   failure: it finishes if the trigger has finished, fails with the trigger's failure if that is of the stream's
    ///   failure type, and otherwise fails with the last attempt's failure.
    /// - **Threads**: a value is delivered on the thread of the attempt that sends it. The closure is called on the
    ///   subscribing thread, and a further attempt subscribed to on the thread on which the trigger publishes.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter errorTrigger: Creates the publisher whose values start another attempt.
    @preconcurrency @inlinable public func retryWhen<RetryTrigger: Publisher>(
        _ errorTrigger: @escaping @Sendable (AnyPublisher<Failure, Never>) -> RetryTrigger
    ) -> Publishers.RetryWhen<Self, RetryTrigger, Output, Failure> {
        Publishers.RetryWhen(upstream: self, errorTrigger: errorTrigger)
    }
}

extension Publishers {
    /// A publisher that subscribes to upstream again after a failure, when another publisher publishes.
    public struct RetryWhen<
        Upstream: Publisher<Output, Failure>, Trigger: Publisher, Output, Failure: Error
    >: Publisher {
        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher whose values start another attempt.
        public let errorTrigger: @Sendable (AnyPublisher<Failure, Never>) -> Trigger

        /// Creates the publisher that `retryWhen(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, errorTrigger: @escaping @Sendable (AnyPublisher<Upstream.Failure, Never>) -> Trigger
        ) {
            self.upstream = upstream
            self.errorTrigger = errorTrigger
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SuccessionConduit<Output, Failure>(name: "RetryWhen", to: subscriber)
            let loop = TriggeredRetryLoop(upstream)
            let trigger = errorTrigger(loop.failures.eraseToAnyPublisher())
            conduit.gate.cancelAtEnd(
                trigger.sink(
                    receiveCompletion: serially { completion in loop.endTrigger(completion.mapFailure { $0 }) },
                    receiveValue: serially { _ in loop.resume() }))
            conduit.proceed(to: loop.attempt)
        }
    }
}

extension Publishers.RetryWhen: Sendable where Upstream: Sendable {}

/// The attempts of one subscription, and the state of its trigger.
@usableFromInline final class TriggeredRetryLoop<Upstream: Publisher> {
    @usableFromInline typealias Conduit = SuccessionConduit<Upstream.Output, Upstream.Failure>

    @usableFromInline typealias Pause = SuccessionPause<Upstream.Output, Upstream.Failure>

    @usableFromInline struct State {
        @usableFromInline var pause: Pause?
        @usableFromInline var lastFailure: Upstream.Failure?
        @usableFromInline var ending: Subscribers.Completion<any Error>?
    }

    @usableFromInline let upstream: Upstream

    @usableFromInline let failures = PassthroughSubject<Upstream.Failure, Never>()

    @usableFromInline let state = Guarded(State())

    /// What was bound where the stream was subscribed to: the trigger may publish elsewhere.
    @usableFromInline let locals = TaskLocals()

    @inlinable init(_ upstream: Upstream) { self.upstream = upstream }

    @inlinable func attemptAgain(_ conduit: Conduit, _ turn: Int) {
        locals.perform { attempt(conduit, turn) }
    }

    @inlinable func attempt(_ conduit: Conduit, _ turn: Int) {
        upstream.receive(
            subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                guard case .failure(let failure) = completion else { return conduit.end(.finished) }
                self.wait(conduit, failure)
            })
    }

    /// Waits for the trigger, unless it has completed.
    @inlinable func wait(_ conduit: Conduit, _ failure: Upstream.Failure) {
        conduit.pause { pause in
            let hasEnded = self.state.withLock { state in
                state.pause = pause
                state.lastFailure = failure
                return state.ending != nil
            }
            if hasEnded { self.end() } else { self.failures.send(failure) }
        }
    }

    /// Ends the pause, if there is one, with the next attempt.
    @inlinable func resume() {
        state.withLock { $0.pause.take() }?.end { $0.proceed(to: attemptAgain) }
    }

    /// Records the completion of the trigger.
    @inlinable func endTrigger(_ completion: Subscribers.Completion<any Error>) {
        state.withLock { $0.ending = completion }
        end()
    }

    /// Ends the pause, if there is one, with the completion of the stream.
    @inlinable func end() {
        let (pause, ending, lastFailure) = state.withLock { ($0.pause.take(), $0.ending, $0.lastFailure) }
        pause?.end { conduit in
            guard case .failure(let error) = ending else { return conduit.end(.finished) }
            if let failure = error as? Upstream.Failure ?? lastFailure { conduit.end(.failure(failure)) }
        }
    }
}
