import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again when it has failed and another publisher, which is told of the failure, says so.
    ///
    /// ```
    /// self      1-2-x
    /// trigger       ----t
    /// again             1-2-|
    ///           1-2-----1-2-|
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// var attempts = 0
    /// let answer = Deferred {
    ///     attempts += 1
    ///     return attempts < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(attempts)
    /// }
    ///     .retryWhen { failures in failures.prefix(5) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 3
    /// // finished
    /// ```
    ///
    /// The closure is called once for each subscriber. It is given the failures, and what it returns is subscribed to before
    /// this publisher is. A value of it that comes while no attempt has failed is ignored.
    ///
    /// - **Demand**: passed on. What one attempt has not served is asked of the next. The trigger is asked for everything.
    /// - **Completion**: finishes when an attempt finishes. Where the trigger has ended, the stream ends with the next failure:
    ///   it finishes if the trigger has, and fails with the trigger's failure if this is of the stream's type, and otherwise
    ///   with that of the last attempt.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter errorTrigger: Makes the publisher that says when to begin anew.
    @inlinable public func retryWhen<RetryTrigger: Publisher>(
        _ errorTrigger: @escaping StreamClosure<AnyPublisher<Failure, Never>, RetryTrigger>
    ) -> Publishers.RetryWhen<Self, RetryTrigger, Output, Failure> {
        Publishers.RetryWhen(upstream: self, errorTrigger: errorTrigger)
    }
}

extension Publishers {
    /// A publisher that subscribes to another one again when a third says so.
    public struct RetryWhen<Upstream: Publisher, Trigger: Publisher, Output, Failure: Error>: Publisher
    where Upstream.Output == Output, Upstream.Failure == Failure {
        /// The publisher that may fail.
        public let upstream: Upstream

        /// What makes the publisher that says when to begin anew.
        public let errorTrigger: StreamClosure<AnyPublisher<Failure, Never>, Trigger>

        /// Makes the publisher that `retryWhen(_:)` returns.
        @inlinable public init(
            upstream: Upstream, errorTrigger: @escaping StreamClosure<AnyPublisher<Upstream.Failure, Never>, Trigger>
        ) {
            self.upstream = upstream
            self.errorTrigger = errorTrigger
        }

        /// Connects a subscriber to the trigger and to the first attempt.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SuccessionConduit<Output, Failure>(name: "RetryWhen", to: subscriber)
            let course = TriggeredCourse(upstream)
            let trigger = errorTrigger(course.failures.eraseToAnyPublisher())
            conduit.gate.cancelAtEnd(
                trigger.sink(
                    receiveCompletion: serially { completion in
                        switch completion {
                        case .finished: course.endTrigger(.finished)
                        case .failure(let error): course.endTrigger(.failure(error))
                        }
                    },
                    receiveValue: serially { _ in course.goOn() }))
            conduit.proceed(to: course.attempt)
        }
    }
}

extension Publishers.RetryWhen: StrictlySendable where Upstream: StrictlySendable {}

/// The attempts of one subscription, and what its trigger has said.
private final class TriggeredCourse<Upstream: Publisher> {
    typealias Conduit = SuccessionConduit<Upstream.Output, Upstream.Failure>

    typealias Pause = SuccessionPause<Upstream.Output, Upstream.Failure>

    struct State {
        var pause: Pause?
        var lastFailure: Upstream.Failure?
        var ending: Subscribers.Completion<any Error>?
    }

    let upstream: Upstream

    let failures = PassthroughSubject<Upstream.Failure, Never>()

    private let state = Guarded(State())

    init(_ upstream: Upstream) { self.upstream = upstream }

    func attempt(_ conduit: Conduit, _ turn: Int) {
        upstream.receive(
            subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                switch completion {
                case .finished: conduit.end(.finished)
                case .failure(let failure): self.wait(conduit, failure)
                }
            })
    }

    /// Waits for the trigger, if there is still something to wait for.
    private func wait(_ conduit: Conduit, _ failure: Upstream.Failure) {
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
    func goOn() {
        state.withLock { $0.pause.take() }?.end { $0.proceed(to: attempt) }
    }

    /// Hears that there will be no further word of the trigger.
    func endTrigger(_ completion: Subscribers.Completion<any Error>) {
        state.withLock { $0.ending = completion }
        end()
    }

    /// Ends the pause, if there is one, with the end of the stream.
    private func end() {
        let (pause, ending, lastFailure) = state.withLock { ($0.pause.take(), $0.ending, $0.lastFailure) }
        pause?.end { conduit in
            guard case .failure(let error) = ending else { return conduit.end(.finished) }
            if let failure = error as? Upstream.Failure ?? lastFailure { conduit.end(.failure(failure)) }
        }
    }
}
