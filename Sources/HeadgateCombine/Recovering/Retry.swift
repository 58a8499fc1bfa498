import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again when it fails, up to a number of times.
    ///
    /// ```
    /// self      1---2---x
    /// retry     1
    ///           1---2---1---2---x
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// var attempts = 0
    /// let answer = Deferred {
    ///     attempts += 1
    ///     return attempts < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(attempts)
    /// }
    /// let cancellable = answer
    ///     .retry(5)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 3
    /// // finished
    /// ```
    ///
    /// - **Demand**: passed on. What one attempt has not served is asked of the next.
    /// - **Completion**: finishes when an attempt finishes. Fails with the failure of the last attempt.
    /// - **Complexity**: constant time a value and an attempt; attempts that fail at once do not grow the stack.
    ///
    /// - Parameter retries: How many more attempts there may be. A negative number traps.
    @inlinable public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

extension Publishers {
    /// A publisher that subscribes to another one again when that one fails.
    public struct Retry<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// How many more attempts there may be; `nil` for any number.
        public let retries: Int?

        /// Makes the publisher that `retry(_:)` returns.
        @inlinable public init(upstream: Upstream, retries: Int?) {
            if let retries, retries < 0 {
                programmerError(
                    rule: "The number of attempts can't be negative.", found: "retry(\(retries))",
                    remedy: "Pass zero to make no further attempt, or nil to Publishers.Retry to go on for ever.")
            }
            self.upstream = upstream
            self.retries = retries
        }

        /// Connects a subscriber to the first attempt.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let upstream = self.upstream
            var remaining = retries
            let conduit = SuccessionConduit<Output, Failure>(name: "Retry", to: subscriber)
            func attempt(_ conduit: SuccessionConduit<Output, Failure>, _ turn: Int) {
                upstream.receive(
                    subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                        guard case .failure = completion, remaining != 0 else { return conduit.end(completion) }
                        remaining = remaining.map { $0 - 1 }
                        conduit.proceed(to: attempt)
                    })
            }
            conduit.proceed(to: attempt)
        }
    }
}

extension Publishers.Retry: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
