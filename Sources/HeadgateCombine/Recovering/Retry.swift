import HeadgateEngine

extension Publisher {
    /// Resubscribes to this publisher when it fails, up to a given number of times.
    ///
    /// ```
    /// self      1---2---x
    /// retry     1
    ///           1---2---1---2---x
    /// ```
    ///
    /// ```swift
    /// import HeadgateCombine
    /// import Synchronization
    ///
    /// struct Problem: Error {}
    /// let attempts = Atomic(0)
    /// let answer = Deferred {
    ///     let attempt = attempts.add(1, ordering: .relaxed).newValue
    ///     return attempt < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(attempt)
    /// }
    /// let cancellable = answer
    ///     .retry(5)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 3
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that one attempt has not satisfied is requested from the next.
    /// - **Completion**: finishes when an attempt finishes. Fails with the failure of the last attempt.
    /// - **Threads**: a value is delivered on the thread of the attempt that sends it. An attempt is subscribed to on
    ///   the thread on which the one before it fails or, if that one is still being subscribed to, on the thread that
    ///   does so.
    /// - **Complexity**: constant time per value and per attempt; attempts that fail at once do not grow the stack.
    ///
    /// - Parameter retries: The maximum number of further attempts. A negative number traps.
    @inlinable public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

extension Publishers {
    /// A publisher that resubscribes to upstream when it fails.
    public struct Retry<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher, which may fail.
        public let upstream: Upstream

        /// The maximum number of further attempts; `nil` for no limit.
        public let retries: Int?

        /// Creates the publisher that `retry(_:)` returns.
        @inlinable public init(upstream: Upstream, retries: Int?) {
            if let retries, retries < 0 {
                programmerError(
                    rule: "The number of attempts can't be negative.", found: "retry(\(retries))",
                    remedy: "Pass zero for no retries, or nil to Publishers.Retry to retry forever.")
            }
            self.upstream = upstream
            self.retries = retries
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SuccessionConduit<Output, Failure>(name: "Retry", to: subscriber)
            conduit.proceed(to: RetryAttempts(upstream, retries).attempt)
        }
    }
}

extension Publishers.Retry: Sendable where Upstream: Sendable {}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

/// The attempts of one subscription.
// Not a function that refers to itself, as `repeat` has: with two closures for each attempt, one takes half as many instructions again.
@usableFromInline final class RetryAttempts<Upstream: Publisher> {
    @usableFromInline typealias Conduit = SuccessionConduit<Upstream.Output, Upstream.Failure>

    @usableFromInline let upstream: Upstream

    /// How many retries remain; `nil` for any number.
    // Confined to the upstream whose turn it is.
    @exclusivity(unchecked) @usableFromInline var remaining: Int?

    @inlinable init(_ upstream: Upstream, _ retries: Int?) {
        self.upstream = upstream
        remaining = retries
    }

    @inlinable func attempt(_ conduit: Conduit, _ turn: Int) {
        upstream.receive(
            subscriber: SuccessionSubscriber(conduit, turn: turn) { [self] in retry($0, $1) })
    }

    @inlinable func retry(_ conduit: Conduit, _ completion: Subscribers.Completion<Upstream.Failure>) {
        guard case .failure = completion, remaining != 0 else { return conduit.end(completion) }
        remaining = remaining.map { $0 - 1 }
        conduit.proceed(to: attempt)
    }
}
