import HeadgateEngine

extension Publishers {
    /// Mirrors a publisher that uses a resource, which a second publisher acquires and a third one releases.
    ///
    /// ```
    /// acquire      --r
    /// publisher      a---b---|
    /// release                ---|
    /// usingWhen    --a---b------|
    /// ```
    ///
    /// ```swift
    /// let transfer = Publishers.usingWhen(acquire: Just("connection")) { connection in
    ///     ["row 1", "row 2"].publisher
    /// } release: { connection, outcome in
    ///     Just(()).handleEvents(receiveCompletion: { _ in print("released", connection, outcome) })
    /// }
    /// .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // row 1
    /// // row 2
    /// // released connection finished
    /// // finished
    /// ```
    ///
    /// The resource is the first value of `acquire`, which is subscribed to with the stream and cancelled after that
    /// value. If `acquire` completes without a value, the stream completes in the same way, and nothing is released.
    ///
    /// An acquisition that has begun is not cancelled, because a resource that it publishes at that moment would be
    /// lost: if the stream is cancelled meanwhile, the resource is released, with `.cancelled`, as soon as it arrives.
    /// Limit the time that an acquisition may take inside `acquire`, with an ``Owned`` resource if that may arrive
    /// after the limit.
    ///
    /// The publisher that `release` makes is subscribed to exactly once, when the stream completes, is cancelled or is
    /// released by both sides, whichever is first. Unlimited values are requested from it and dropped. Cancelling the
    /// subscription does not cancel it.
    ///
    /// - **Demand**: acquires the resource with the first demand, which is forwarded once it has been acquired.
    /// - **Completion**: forwarded after the release has finished. If a release fails, a stream that has finished fails
    ///   with its failure; after a failure or a cancellation, the failure of the release is undeliverable (see
    ///   ``Undeliverables``).
    /// - **Threads**: `publisher` is called on the thread on which `acquire` publishes, `release` on that which
    ///   completes, cancels or releases the stream. Values are delivered on the thread on which the publisher delivers
    ///   them, and the completion on that on which the release completes.
    /// - **Complexity**: the cost of `switchToLatest` per value.
    ///
    /// - Parameters:
    ///   - acquire: Publishes the resource.
    ///   - publisher: Creates the publisher that uses the resource.
    ///   - release: Creates the publisher that releases the resource, given the outcome of the stream.
    @preconcurrency @inlinable
    public static func usingWhen<Acquisition: Publisher, Upstream: Publisher, Release: Publisher>(
        acquire: Acquisition, publisher: @escaping @Sendable (Acquisition.Output) -> Upstream,
        release: @escaping @Sendable (Acquisition.Output, UsageOutcome<Upstream.Failure>) -> Release
    ) -> UsingWhen<Acquisition, Upstream, Release> {
        UsingWhen(acquire: acquire, publisher: publisher, release: release)
    }

    /// A publisher that mirrors another one, whose resource is acquired and released by publishers.
    public struct UsingWhen<Acquisition: Publisher, Upstream: Publisher, Release: Publisher>: Publisher
    where Acquisition.Failure == Upstream.Failure, Release.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// Publishes the resource.
        public let acquire: Acquisition

        /// Creates the publisher that uses the resource.
        public let publisher: @Sendable (Acquisition.Output) -> Upstream

        /// Creates the publisher that releases the resource.
        public let release: @Sendable (Acquisition.Output, UsageOutcome<Failure>) -> Release

        /// Creates the publisher that `usingWhen(acquire:publisher:release:)` returns.
        @preconcurrency @inlinable public init(
            acquire: Acquisition, publisher: @escaping @Sendable (Acquisition.Output) -> Upstream,
            release: @escaping @Sendable (Acquisition.Output, UsageOutcome<Failure>) -> Release
        ) {
            self.acquire = acquire
            self.publisher = publisher
            self.release = release
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let uses = AnyPublisher<AnyPublisher<Output, Failure>, Failure>(
                attaching: { [self] in acquire.receive(subscriber: AcquisitionConduit(use, to: $0)) })
            SwitchConduit.connect(uses, name: "UsingWhen", to: subscriber)
        }

        @inlinable func use(_ resource: Acquisition.Output) -> AnyPublisher<Output, Failure> {
            // Whoever takes the resource ends its use.
            let lease = Owned(resource, onDiscard: serially { end($0, .cancelled) { Undeliverable.note($0) } })
            return AnyPublisher(
                publisher(resource)
                    .handleEvents(receiveCancel: serially { end(lease.take(), .cancelled) { Undeliverable.note($0) } })
                    .catch(
                        serially { failure in
                            ending(lease, .failed(failure)) { completion in
                                Undeliverable.note(completion)
                                return .failure(failure)
                            }
                        }
                    )
                    .append(ending(lease, .finished) { $0 }))
        }

        /// A publisher that ends the use, and then completes with the result of the closure.
        @inlinable func ending(
            _ lease: Owned<Acquisition.Output>, _ outcome: UsageOutcome<Failure>,
            _ result: @escaping (Subscribers.Completion<Failure>) -> Subscribers.Completion<Failure>
        ) -> some Publisher<Output, Failure> {
            Deferred(
                createPublisher: serially {
                    let rest = PassthroughSubject<Output, Failure>()
                    end(lease.take(), outcome) { rest.send(completion: result($0)) }
                    return rest
                })
        }

        /// Has the resource released, if its use has not ended, and reports the completion of the release.
        @inlinable func end(
            _ resource: Acquisition.Output?, _ outcome: UsageOutcome<Failure>,
            _ report: @escaping (Subscribers.Completion<Failure>) -> Void
        ) {
            guard let resource else { return }
            release(resource, outcome).receive(
                subscriber: Subscribers.Sink(receiveCompletion: serially(report), receiveValue: { _ in }))
        }
    }
}

extension Publishers.UsingWhen: Sendable where Acquisition: Sendable {}
