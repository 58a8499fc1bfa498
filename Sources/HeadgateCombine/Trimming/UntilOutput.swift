import HeadgateEngine

extension Publisher {
    /// Forwards values until another publisher publishes one.
    ///
    /// ```
    /// self      1--2--3--4--5--|
    /// other     --------a---b--|
    /// prefix    1--2--3-|
    /// ```
    ///
    /// ```swift
    /// let stop = PassthroughSubject<Void, Never>()
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let cancellable = ticks.prefix(untilOutputFrom: stop).sink { print($0) }
    /// ticks.send(1)
    /// stop.send()
    /// ticks.send(2)
    /// // 1
    /// ```
    ///
    /// - **Demand**: forwarded unchanged. One value is requested from the other publisher.
    /// - **Completion**: forwarded unchanged; also finishes as soon as the other publisher publishes a value. Either
    ///   way, the remaining publisher is cancelled. The completion of the other publisher is ignored.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, the end on that on which the
    ///   other publisher publishes. If a value is being delivered then, the end waits for it, or is left to that thread
    ///   if that takes long (rule 3.6 of the contract).
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter publisher: The publisher that triggers the end.
    @inlinable public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Drops values until another publisher publishes one, and forwards those after it.
    ///
    /// ```
    /// self      1--2--3--4--5--|
    /// other     -----a-----b---|
    /// drop      ------3--4--5--|
    /// ```
    ///
    /// ```swift
    /// let start = PassthroughSubject<Void, Never>()
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let cancellable = ticks.drop(untilOutputFrom: start).sink { print($0) }
    /// ticks.send(1)
    /// start.send()
    /// ticks.send(2)
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded, and one more value is requested for each one dropped. One value is requested from the
    ///   other publisher.
    /// - **Completion**: forwarded unchanged. Fails if the other publisher fails before it has published a value.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it. The other publisher may publish
    ///   on another thread: a value that is being dropped at that time stays dropped.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter publisher: The publisher that triggers the start.
    @inlinable public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// A publisher of upstream's values until another publisher publishes one.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The publisher that triggers.
        public let other: Other

        /// Creates the publisher that `prefix(untilOutputFrom:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            UntilConduit.connect(
                upstream, other: other, name: "PrefixUntilOutput", isDropping: false, to: subscriber,
                failure: { _ in nil })
        }
    }

    /// A publisher of upstream's values after another publisher has published one.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The publisher that triggers.
        public let other: Other

        /// Creates the publisher that `drop(untilOutputFrom:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            UntilConduit.connect(
                upstream, other: other, name: "DropUntilOutput", isDropping: true, to: subscriber, failure: { $0 })
        }
    }
}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
