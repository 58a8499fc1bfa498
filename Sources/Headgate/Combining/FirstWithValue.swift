import HeadgateEngine

extension Publisher {
    /// Mirrors whichever of two publishers is the first to send a value; one that fails or finishes without a value
    /// loses.
    ///
    /// ```
    /// self            --x
    /// other           -----a---b--|
    /// firstWithValue  -----a---b--|
    /// ```
    ///
    /// A hedged request asks a second server when the first one takes long, and takes the first answer; a failure of
    /// one does not matter while the other may still answer:
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// struct Busy: Error {}
    /// let scheduler = TestScheduler()
    /// let near = Fail<String, Busy>(error: Busy()).delay(for: .seconds(3), scheduler: scheduler)
    /// let far = Just("far").setFailureType(to: Busy.self).delay(for: .seconds(4), scheduler: scheduler)
    /// let answer = near
    ///     .firstWithValue(far.delaySubscription(for: .seconds(1), scheduler: scheduler))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// scheduler.advance(by: .seconds(5))
    /// // far
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded to both sides until one of them is first, then to that one. Values that the other side
    ///   has sent in the meantime are dropped.
    /// - **Completion**: that of the first side to send a value; the other side is cancelled. If none sends one, the
    ///   stream completes with the last side: it fails with the most recent failure, or finishes if there was none. The
    ///   failures before that go to ``Undeliverables``.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: the first side's: it is found, and the other is cancelled, on the thread on which it delivers.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func firstWithValue<Other: Publisher<Output, Failure>>(
        _ other: Other
    ) -> Publishers.FirstWithValue<Self, Other> {
        Publishers.FirstWithValue(first: self, second: other)
    }
}

extension Collection where Element: Publisher {
    /// Mirrors whichever of these publishers is the first to send a value; those that fail or finish without a value
    /// lose.
    ///
    /// ```swift
    /// struct Gone: Error {}
    /// let mirrors = (1...3).map { _ in PassthroughSubject<String, Gone>() }
    /// let cancellable = mirrors.firstWithValue().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// mirrors[0].send(completion: .failure(Gone()))
    /// mirrors[1].send("second")
    /// // second
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `firstWithValue(_:)` on a publisher. If
    /// the collection is empty, the publisher finishes at once.
    @inlinable public func firstWithValue() -> Publishers.FirstWithValueMany<Element> {
        Publishers.FirstWithValueMany(self)
    }
}

extension Publishers {
    /// A publisher that mirrors the first of two publishers to send a value.
    public struct FirstWithValue<First: Publisher, Second: Publisher<First.Output, First.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = First.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = First.Failure

        /// The publisher that is subscribed to first.
        public let first: First

        /// The other publisher.
        public let second: Second

        /// Creates the publisher that `firstWithValue(_:)` returns.
        @inlinable public init(first: First, second: Second) {
            self.first = first
            self.second = second
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect(
                [first.receive, second.receive], needingValue: true, to: subscriber)
        }
    }

    /// A publisher that mirrors the first of any number of publishers of one type to send a value.
    ///
    /// If there are no publishers, it finishes at once.
    public struct FirstWithValueMany<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that mirrors the first of the publishers in a sequence to send a value.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            AmbConduit.connect(publishers.map { $0.receive }, needingValue: true, to: subscriber)
        }
    }
}

extension Publishers.FirstWithValue: Sendable where First: Sendable, Second: Sendable {}

extension Publishers.FirstWithValueMany: Sendable where Upstream: Sendable {}

extension Publishers.FirstWithValue: Equatable where First: Equatable, Second: Equatable {}

extension Publishers.FirstWithValueMany: Equatable where Upstream: Equatable {}
