import HeadgateEngine

extension Publisher {
    /// Continues with another publisher when this one fails and the failure satisfies a predicate.
    ///
    /// ```
    /// self      1---2---x
    /// catch             8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// enum Trouble: Error { case missing, denied }
    /// for trouble in [Trouble.missing, .denied] {
    ///     let cancellable = Fail<String, Trouble>(error: trouble)
    ///         .catch(where: { $0 == .missing }) { _ in Just("nothing").setFailureType(to: Trouble.self) }
    ///         .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    ///     cancellable.cancel()
    /// }
    /// // nothing
    /// // finished
    /// // failure(main.Trouble.denied)
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that this publisher has not served is requested from the other one.
    /// - **Completion**: finishes when either finishes. Fails with a failure that does not satisfy the predicate, or
    ///   with the failure of the other publisher.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. The closures are called, and
    ///   the other publisher is subscribed to, on the thread on which this one fails.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameters:
    ///   - isCaught: Whether to continue after a failure.
    ///   - handler: Creates a publisher from the failure.
    @preconcurrency @inlinable public func `catch`<P: Publisher<Output, Failure>>(
        where isCaught: @escaping @Sendable (Failure) -> Bool, _ handler: @escaping @Sendable (Failure) -> P
    ) -> Publishers.CatchWhere<Self, P> {
        Publishers.CatchWhere(upstream: self, isCaught: isCaught, handler: handler)
    }
}

extension Publishers {
    /// A publisher that continues with another publisher when upstream's failure satisfies a predicate.
    public struct CatchWhere<
        Upstream: Publisher, NewPublisher: Publisher<Upstream.Output, Upstream.Failure>
    >: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Whether to continue after a failure.
        public let isCaught: @Sendable (Failure) -> Bool

        /// Creates a publisher from the failure.
        public let handler: @Sendable (Failure) -> NewPublisher

        /// Creates the publisher that `catch(where:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, isCaught: @escaping @Sendable (Upstream.Failure) -> Bool,
            handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher
        ) {
            self.upstream = upstream
            self.isCaught = isCaught
            self.handler = handler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (upstream, isCaught, handler) = (upstream, isCaught, handler)
            let conduit = SuccessionConduit<Output, Failure>(name: "Catch", to: subscriber)
            conduit.proceed(to: upstream) { conduit, completion in
                guard case .failure(let failure) = completion, isCaught(failure) else {
                    return conduit.end(completion)
                }
                conduit.proceed(toLast: handler(failure))
            }
        }
    }
}

extension Publishers.CatchWhere: Sendable where Upstream: Sendable {}
