import HeadgateEngine

extension Publishers {
    /// How the use of a resource ended.
    public enum UsageOutcome<Failure: Error>: Sendable {
        /// The stream finished.
        case finished
        /// The stream failed.
        case failed(Failure)
        /// The subscriber cancelled or released its subscription.
        case cancelled
    }

    /// Mirrors a publisher that uses a resource, which is acquired and released asynchronously.
    ///
    /// ```swift no-run
    /// let orders = Publishers.using {
    ///     try await database.beginTransaction()
    /// } publisher: { transaction in
    ///     transaction.rows("SELECT * FROM orders")
    /// } release: { transaction, outcome in
    ///     if case .finished = outcome { await transaction.commit() } else { await transaction.rollBack() }
    /// }
    /// ```
    ///
    /// The resource is acquired at the first demand and released exactly once, on every path, and the release receives
    /// the outcome of the stream. A task does both, with the task-local values of the subscriber. Cancelling the
    /// subscription cancels the task while it acquires, but never while it releases.
    ///
    /// - **Demand**: forwarded once the resource has been acquired.
    /// - **Completion**: forwarded after the release has returned. An error thrown by `acquire` becomes the failure.
    /// - **Threads**: `acquire`, `publisher` and `release` are called in the task; values are delivered on the thread
    ///   on which the publisher delivers them.
    /// - **Complexity**: one task per subscription, and the cost of `switchToLatest` per value.
    ///
    /// - Parameters:
    ///   - acquire: Acquires the resource, once per subscriber.
    ///   - publisher: Creates the publisher that uses the resource.
    ///   - release: Releases the resource.
    public static func using<Resource, Upstream: Publisher>(
        acquire: @escaping @Sendable () async throws(Upstream.Failure) -> Resource,
        publisher: @escaping @Sendable (Resource) -> Upstream,
        release: @escaping @Sendable (Resource, UsageOutcome<Upstream.Failure>) async -> Void
    ) -> AsyncUsing<Resource, Upstream> {
        AsyncUsing(acquire: acquire, publisher: publisher, release: release)
    }

    /// A publisher that mirrors another one, which uses an asynchronously acquired and released resource.
    public struct AsyncUsing<Resource, Upstream: Publisher>: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// Acquires the resource.
        public let acquire: @Sendable () async throws(Failure) -> Resource

        /// Creates the publisher that uses the resource.
        public let publisher: @Sendable (Resource) -> Upstream

        /// Releases the resource.
        public let release: @Sendable (Resource, UsageOutcome<Failure>) async -> Void

        /// Creates the publisher that `using(acquire:publisher:release:)` returns.
        public init(
            acquire: @escaping @Sendable () async throws(Failure) -> Resource,
            publisher: @escaping @Sendable (Resource) -> Upstream,
            release: @escaping @Sendable (Resource, UsageOutcome<Failure>) async -> Void
        ) {
            self.acquire = acquire
            self.publisher = publisher
            self.release = release
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            // The inner publisher never fails: its completion goes to the task.
            AnyPublisher(attaching: use)
                .switchToLatest()
                .receive(subscriber: EnclosingConduit(name: "Using", Ownership(), subscriber))
        }

        /// Has a task publish the publisher that uses the resource, and complete after it has released the resource.
        @inlinable func use(_ subscriber: AnySubscriber<AnyPublisher<Output, Failure>, Failure>) {
            TaskConduit.connect(subscriber, name: "Using") { conduit async throws(Failure) in
                let resource = try await acquire()
                let ending = Future<UsageOutcome<Failure>, Never> { end in
                    conduit.deliver(observed(publisher(resource), end))
                }
                let outcome = await ending.value
                await StreamTask.shield { await release(resource, outcome) }
                if case .failed(let failure) = outcome { throw failure }
            }
        }

        /// Mirrors the publisher without its failure, and reports how the use of the resource ends; the first end counts.
        @inlinable func observed(
            _ upstream: Upstream, _ end: @escaping Future<UsageOutcome<Failure>, Never>.Promise
        ) -> AnyPublisher<Output, Failure> {
            let lease = AnyCancellable { end(.success(.cancelled)) }
            return
                upstream
                .handleEvents(
                    receiveCompletion: { completion in
                        switch completion {
                        case .finished: end(.success(.finished))
                        case .failure(let failure): end(.success(.failed(failure)))
                        }
                    },
                    receiveCancel: { lease.cancel() }
                )
                .ignoreFailure(setFailureType: Failure.self)
        }
    }
}
