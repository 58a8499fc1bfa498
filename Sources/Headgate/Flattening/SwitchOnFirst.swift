import HeadgateEngine

extension Publisher {
    /// Creates one publisher from the first value and the stream that begins with it, and mirrors that publisher.
    ///
    /// ```
    /// self           --3---1---2---|
    /// switchOnFirst  prefix(3)
    ///                --3---1---2|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["csv", "a,b", "c,d"].publisher
    ///     .switchOnFirst { format, lines in
    ///         lines.dropFirst().map { line in format == "csv" ? line.split(separator: ",").count : 1 }
    ///     }
    ///     .sink { print($0) }
    /// // 2
    /// // 2
    /// ```
    ///
    /// Use it when the first value determines how to process the others: a header, a version, a request. The stream
    /// that the closure receives has all values, including the first, and serves one subscriber; any other subscriber
    /// gets a stream that finishes at once. Until it is subscribed to, it holds upstream back.
    ///
    /// - **Demand**: forwarded to the resulting publisher. Requests one value from upstream with the first demand, and
    ///   the next after that one has been consumed.
    /// - **Completion**: that of the resulting publisher; upstream is then cancelled. The completion of upstream is
    ///   delivered to the resulting publisher. If upstream completes without a value, so does the stream, and the
    ///   closure is not called.
    /// - **Threads**: the closure is called on the thread on which upstream delivers its first value. The values of the
    ///   resulting publisher are delivered on its thread; those of the stream that the closure receives, on upstream's,
    ///   or on that of the request that they have waited for.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter transform: Creates a publisher from the first value and the whole stream. Called once, on the thread
    ///   that delivers the value.
    @preconcurrency @inlinable public func switchOnFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output, AnyPublisher<Output, Failure>) -> P
    ) -> Publishers.SwitchOnFirst<P, Self> where P.Failure == Failure {
        Publishers.SwitchOnFirst(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that mirrors a publisher made from upstream's first value and its stream.
    public struct SwitchOnFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher from the first value and the whole stream.
        public let transform: @Sendable (Upstream.Output, AnyPublisher<Upstream.Output, Failure>) -> NewPublisher

        /// Creates the publisher that `switchOnFirst(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream,
            transform: @escaping @Sendable (Upstream.Output, AnyPublisher<Upstream.Output, Failure>) -> NewPublisher
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let head = AnyPublisher<Branch<Upstream.Output, Upstream.Output, Failure>, Failure>(
                attaching: { [upstream] in HeadConduit.connect(upstream, name: "SwitchOnFirst", to: $0) })
            let publishers = head.map(
                serially { [transform] branch in
                    transform(branch.label, AnyPublisher(BranchValues(branch: branch)))
                })
            SwitchConduit.connect(publishers, name: "SwitchOnFirst", finishesWithInner: true, to: subscriber)
        }
    }
}

extension Publishers.SwitchOnFirst: Sendable where Upstream: Sendable {}
