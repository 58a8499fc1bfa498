import HeadgateEngine

extension Publisher {
    /// Publishes the most recent value when downstream requests one, and drops the values that it has superseded.
    ///
    /// To keep something of them, summarise them with `conflate(into:_:)`; to keep them all, use
    /// `batchWhileBusy(limit:)` or `onBackpressureBuffer`.
    ///
    /// ```
    /// self      1--2--3--4--5--|
    /// requests  1--------1--1---1
    /// conflate  1--------3--4---(5|)
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let prices = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.first(1))
    /// prices.conflate().subscribe(subscriber)
    /// for price in 1...5 { prices.send(price) }
    /// subscriber.request(.max(1))
    /// print(subscriber.values)
    /// // [1, 5]
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream. A value that arrives without demand waits until the next
    ///   one replaces it.
    /// - **Completion**: delivered after the waiting value, even a failure.
    /// - **Complexity**: constant time per value; memory for one.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers, or on that of the request that it
    ///   has waited for.
    @inlinable public func conflate() -> Publishers.Conflate<Self, Output> {
        Publishers.Conflate(upstream: self, limit: .unlimited, drops: true, begin: { $0 }, fold: { $0 = $1 })
    }

    /// Folds the values that arrive while downstream is busy into one.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let bytes = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.first(1))
    /// bytes.conflate(into: { $0 }, { $0 += $1 }).subscribe(subscriber)
    /// for count in 1...4 { bytes.send(count) }
    /// subscriber.request(.max(1))
    /// print(subscriber.values)
    /// // [1, 9]
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream. Values that arrive without demand are folded into one.
    /// - **Completion**: delivered after the folded value, even a failure.
    /// - **Complexity**: one call of a closure per value; memory for one folded value.
    /// - **Threads**: those of `conflate()`. The closures are called on the thread on which upstream delivers.
    ///
    /// - Parameters:
    ///   - begin: Makes a summary of a value: of each that meets demand, and of the first of those that do not.
    ///   - fold: Adds a value to a summary.
    @preconcurrency @inlinable public func conflate<Summary>(
        into begin: @escaping @Sendable (Output) -> Summary,
        _ fold: @escaping @Sendable (inout Summary, Output) -> Void
    ) -> Publishers.Conflate<Self, Summary> {
        Publishers.Conflate(upstream: self, limit: .unlimited, drops: false, begin: begin, fold: fold)
    }

    /// Publishes values in arrays: one by one while downstream is ready, and together those that arrive while it is
    /// busy.
    ///
    /// ```
    /// self            1-----2-----3-----4-----5-----|
    /// requests        1-----------------1-----1--------1
    /// batchWhileBusy  [1]---------------[2,3]-[4]------([5]|)
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let lines = PassthroughSubject<String, Never>()
    /// let subscriber = TestSubscriber<[String], Never>(.first(1))
    /// lines.batchWhileBusy(limit: 100).subscribe(subscriber)
    /// for line in ["a", "b", "c"] { lines.send(line) }
    /// subscriber.request(.max(1))
    /// print(subscriber.values)
    /// // [["a"], ["b", "c"]]
    /// ```
    ///
    /// - **Demand**: requests `limit` values from upstream, and after the delivery of an array as many as it contained.
    ///   So no value of an upstream that respects demand is lost.
    /// - **Completion**: delivered after the waiting array, even a failure.
    /// - **Threads**: an array is delivered on the thread on which upstream delivers its only value, or on that of the
    ///   request that it has waited for. A request that is made while another thread delivers is served by that thread.
    /// - **Complexity**: amortised constant time per value; memory for one array.
    ///
    /// - Parameter limit: The maximum number of values in an array: at least one; traps otherwise.
    @inlinable public func batchWhileBusy(limit: Int) -> Publishers.Conflate<Self, [Output]> {
        requireLimit(limit, "batchWhileBusy(limit:)")
        return Publishers.Conflate(
            upstream: self, limit: .max(limit), drops: false, begin: { [$0] }, fold: { $0.append($1) })
    }
}

extension Publishers {
    /// A publisher that folds upstream's values while downstream is busy.
    public struct Conflate<Upstream: Publisher, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How many values are requested ahead.
        public let limit: Subscribers.Demand

        @usableFromInline let drops: Bool

        @usableFromInline let begin: @Sendable (Upstream.Output) -> Output

        @usableFromInline let fold: @Sendable (inout Output, Upstream.Output) -> Void

        @inlinable init(
            upstream: Upstream, limit: Subscribers.Demand, drops: Bool,
            begin: @escaping @Sendable (Upstream.Output) -> Output,
            fold: @escaping @Sendable (inout Output, Upstream.Output) -> Void
        ) {
            self.upstream = upstream
            self.limit = limit
            self.drops = drops
            self.begin = begin
            self.fold = fold
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ConflateConduit<Upstream.Output, Output, Failure>(
                name: "Conflate", limit: limit, drops: drops, AnySubscriber(subscriber), begin: begin, fold: fold
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.Conflate: Sendable where Upstream: Sendable {}
