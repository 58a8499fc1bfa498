extension Publisher where Output == Delivery, Failure == RedisError {
    /// Acknowledges each delivery, and publishes its identifier.
    ///
    /// ```
    /// self          a-b-c---d---|
    /// acknowledge   ------(123)-4|     batch: 3
    /// ```
    ///
    /// ```swift no-run
    /// let cancellable = Redis("redis://127.0.0.1").stream("orders")
    ///     .deliveries(group: "billing", consumer: "worker-7")
    ///     .filter { $0.fields["item"] != nil }
    ///     .acknowledge()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// Put it after the work: it acknowledges what its upstream forwards. An entry that is not forwarded stays pending,
    /// and is delivered again when its delivery has been released.
    ///
    /// - **Demand**: requests from upstream at most as many deliveries as downstream has requested, and ten batches.
    /// - **Completion**: finishes when upstream has finished and everything is acknowledged; a failure of upstream
    ///   waits for that, too. Fails if the server refuses, and if there is no connection for longer than the policy
    ///   allows; what is lost with a connection is sent again. After `cancel()`, what has been received is still
    ///   acknowledged.
    /// - **Threads**: upstream may deliver on any thread. Identifiers are delivered on the queue of the connection,
    ///   where the server's answers arrive, or by a thread that is delivering already; a failure may come from another
    ///   queue.
    /// - **Complexity**: one command per batch. A batch is sent when it is full, after a time, and when nothing further
    ///   is requested.
    ///
    /// - Parameters:
    ///   - batch: The number of deliveries that are acknowledged at once. A number below one traps.
    ///   - time: How long a batch that is not full waits; a negative time traps.
    ///   - deletes: Whether entries are also deleted from the stream, in one step with their acknowledgement; other
    ///     groups that have not read them never will.
    public func acknowledge(
        batch: Int = 100, within time: Duration = .milliseconds(5), deleting deletes: Bool = false
    ) -> Publishers.Acknowledging<Self, RedisError> {
        Publishers.Acknowledging(self, batch, time, deletes, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Output == Delivery, Failure == Never {
    /// Acknowledges each delivery, and publishes its identifier.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that may fail.
    public func acknowledge(
        batch: Int = 100, within time: Duration = .milliseconds(5), deleting deletes: Bool = false
    ) -> Publishers.Acknowledging<Self, RedisError> {
        Publishers.Acknowledging(self, batch, time, deletes, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Output == Delivery, Failure == any Error {
    /// Acknowledges each delivery, and publishes its identifier.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that fails with a
    /// ``RedisError``.
    public func acknowledge(
        batch: Int = 100, within time: Duration = .milliseconds(5), deleting deletes: Bool = false
    ) -> Publishers.Acknowledging<Self, any Error> {
        Publishers.Acknowledging(self, batch, time, deletes, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publishers {
    /// A publisher of the identifiers of deliveries that it acknowledges.
    public struct Acknowledging<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Output == Delivery {
        /// The type of the published values.
        public typealias Output = EntryID

        /// The publisher of the deliveries.
        public let upstream: Upstream

        /// The number of deliveries that are acknowledged at once.
        public let batch: Int

        /// How long a batch that is not full waits.
        public let time: Duration

        /// Whether entries are also deleted from the stream.
        public let deletes: Bool

        @usableFromInline let upstreamFailure: @Sendable (Upstream.Failure) -> Failure
        @usableFromInline let failure: @Sendable (RedisError) -> Failure

        init(
            _ upstream: Upstream, _ batch: Int, _ time: Duration, _ deletes: Bool,
            upstreamFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
            failure: @escaping @Sendable (RedisError) -> Failure
        ) {
            require(
                batch >= 1, rule: "A batch has at least one delivery.", found: "batch: \(batch)",
                remedy: "Pass 1 to acknowledge each delivery at once.")
            if time < .zero {
                programmerError(
                    rule: "A batch waits for a time of at least zero.", found: "\(time)",
                    remedy: "Pass .zero to acknowledge what there is.")
            }
            self.upstream = upstream
            self.batch = batch
            self.time = time
            self.deletes = deletes
            self.upstreamFailure = upstreamFailure
            self.failure = failure
        }

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (limit, isTooLarge) = batch.multipliedReportingOverflow(by: 10)
            let conduit = ExchangeConduit<Delivery, Upstream.Failure, EntryID, Failure>(
                name: "Acknowledging", limit: isTooLarge ? .max : limit, AnySubscriber(subscriber),
                translate: upstreamFailure)
            let acknowledger = Acknowledger(
                batch, time, deletes: deletes,
                answer: { conduit.answer($0.lazy.map { (output: EntryID?.some($0.id), number: $0.number) }) },
                skip: { conduit.answer($0.lazy.map { (output: EntryID?.none, number: $0.number) }) },
                fail: { [failure] in conduit.fail(failure($0)) })
            conduit.connect(
                upstream, to: .init(take: acknowledger.add, flush: acknowledger.flush, end: acknowledger.flush))
        }
    }
}

extension Publishers.Acknowledging: Sendable where Upstream: Sendable {}
