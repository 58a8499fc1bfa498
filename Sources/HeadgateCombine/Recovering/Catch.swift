import HeadgateEngine

extension Publisher {
    /// Continues with another publisher if this one fails.
    ///
    /// ```
    /// self      1---2---x
    /// catch             8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// let cancellable = [1, 2].publisher.tryMap { if $0 == 2 { throw Problem() } else { $0 } }
    ///     .catch { _ in [8, 9].publisher }
    ///     .sink { print($0) }
    /// // 1
    /// // 8
    /// // 9
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that this publisher has not satisfied is requested from the other one.
    /// - **Completion**: finishes when either finishes. Fails if the other one fails.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. The closure is called, and
    ///   its publisher subscribed to, on the thread on which this publisher fails; or, if this one is still being
    ///   subscribed to, on the thread that does so.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter handler: Creates a publisher from the failure.
    @preconcurrency @inlinable public func `catch`<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) -> P
    ) -> Publishers.Catch<Self, P> where Output == P.Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// Continues with another publisher if this one fails, or fails with the closure's error.
    ///
    /// ```
    /// self      1---2---x
    /// tryCatch          8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// enum Trouble: Error { case missing, denied }
    /// for trouble in [Trouble.missing, .denied] {
    ///     let cancellable = Fail<Int, Trouble>(error: trouble)
    ///         .tryCatch { error in
    ///             if error == .denied { throw error }
    ///             return [8, 9].publisher
    ///         }
    ///         .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    ///     cancellable.cancel()
    /// }
    /// // 8
    /// // 9
    /// // finished
    /// // failure(main.Trouble.denied)
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `catch(_:)`.
    ///
    /// - Parameter handler: Creates a publisher from the failure, or throws the error to fail with.
    @preconcurrency @inlinable public func tryCatch<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where Output == P.Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// A publisher that continues with another publisher if upstream fails.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = NewPublisher.Failure

        /// The upstream publisher, which may fail.
        public let upstream: Upstream

        /// The closure that creates a publisher from the failure.
        public let handler: @Sendable (Upstream.Failure) -> NewPublisher

        /// Creates the publisher that `catch(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher
        ) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SuccessionConduit<Output, Failure>(name: "Catch", to: subscriber)
            conduit.proceed(to: upstream) { [handler] conduit, completion in
                guard case .failure(let failure) = completion else { return conduit.end(.finished) }
                conduit.proceed(toLast: handler(failure))
            }
        }
    }

    /// A publisher that continues with another publisher, or with another failure, if upstream fails.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher, which may fail.
        public let upstream: Upstream

        /// The closure that creates a publisher from the failure, or throws.
        public let handler: @Sendable (Upstream.Failure) throws -> NewPublisher

        /// Creates the publisher that `tryCatch(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher
        ) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, any Error>) {
            let conduit = SuccessionConduit<Output, any Error>(name: "TryCatch", to: subscriber)
            conduit.proceed(to: upstream) { [handler] conduit, completion in
                guard case .failure(let failure) = completion else { return conduit.end(.finished) }
                conduit.proceed { conduit, turn in
                    do {
                        try handler(failure).receive(
                            subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                                conduit.end(completion.mapFailure { $0 })
                            })
                    } catch {
                        conduit.end(.failure(error))
                    }
                }
            }
        }
    }
}

extension Publishers.Catch: Sendable where Upstream: Sendable {}

extension Publishers.TryCatch: Sendable where Upstream: Sendable {}
