import HeadgateEngine

extension Publisher {
    /// Publishes arrays of `count` values, or of values with a total weight of `count`.
    ///
    /// ```
    /// self      1---2---3---4---5---|
    /// batch     2
    ///           ----[1,2]---[3,4]---([5]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "bcd", "ef", "g"].publisher
    ///     .batch(count: 4, weight: \.count)
    ///     .sink { print($0) }
    /// // ["a", "bcd"]
    /// // ["ef", "g"]
    /// ```
    ///
    /// - **Demand**: requests `count` values from upstream per requested batch, or one at a time when values have
    ///   weights. A batch that has not been requested holds upstream back.
    /// - **Completion**: delivered after the remaining values, even a failure.
    /// - **Threads**: an array is delivered on the thread on which upstream delivers the value that completes it; the
    ///   last one on that on which upstream completes, or of the request that it has waited for. The closure is called
    ///   on upstream's thread.
    /// - **Complexity**: amortised constant time per value; memory for one batch.
    ///
    /// - Parameters:
    ///   - count: The number of values, or the weight, that completes a batch: at least one; traps otherwise.
    ///   - weight: The weight of a value; less than one counts as one. The value that completes a batch is part of it,
    ///     so a batch may exceed `count`.
    @preconcurrency @inlinable public func batch(
        count: Int, weight: (@Sendable (Output) -> Int)? = nil
    ) -> Publishers.Batch<Self, ImmediateScheduler> {
        Publishers.Batch(upstream: self, count: count, weight: weight, interval: nil)
    }

    /// Publishes arrays of `count` values, or of values with a total weight of `count`, or of the values so far when
    /// the first has waited for an interval.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let orders = PassthroughSubject<Int, Never>()
    /// let cancellable = orders
    ///     .batch(count: 2, within: .seconds(1), scheduler: scheduler)
    ///     .sink { print($0) }
    /// orders.send(1)
    /// orders.send(2)
    /// orders.send(3)
    /// scheduler.advance(by: .seconds(1))
    /// // [1, 2]
    /// // [3]
    /// ```
    ///
    /// - **Demand**: while a batch is requested, requests as many values from upstream as it has room for, one at a time
    ///   when they have weights. What arrives of them after its interval has elapsed begins the next batch, which grows
    ///   until it is requested.
    /// - **Completion**: delivered after the remaining values, even a failure; at once if they have been requested.
    /// - **Threads**: a batch is delivered on the thread on which upstream delivers the value that completes it, on the
    ///   scheduler when its interval has elapsed, or on the thread of the request that it has waited for. One of them
    ///   delivers at a time. The weight is computed on upstream's thread.
    /// - **Complexity**: amortised constant time per value; memory for one batch; at most one job of the scheduler at a
    ///   time.
    ///
    /// - Parameters:
    ///   - count: The number of values, or the weight, that completes a batch: at least one; traps otherwise.
    ///   - weight: The weight of a value; less than one counts as one.
    ///   - interval: How long the first value of a batch waits for others at most.
    ///   - scheduler: The scheduler that measures time. A batch whose interval has elapsed is delivered there; any
    ///     other on the thread that completes it.
    @preconcurrency @inlinable public func batch<S: Scheduler>(
        count: Int, weight: (@Sendable (Output) -> Int)? = nil, within interval: S.SchedulerTimeType.Stride,
        scheduler: S
    ) -> Publishers.Batch<Self, S> where Output: Sendable {
        Publishers.Batch(upstream: self, count: count, weight: weight, interval: (interval, scheduler))
    }
}

extension Publishers {
    /// A publisher of arrays of upstream's values, completed by number, weight or time.
    public struct Batch<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The number of values, or the weight, that completes an array.
        public let count: Int

        /// The weight of a value.
        public let weight: (@Sendable (Upstream.Output) -> Int)?

        @usableFromInline let interval: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, count: Int, weight: (@Sendable (Upstream.Output) -> Int)?,
            interval: (Context.SchedulerTimeType.Stride, Context)?
        ) {
            requireLimit(count, "batch(count:)")
            self.upstream = upstream
            self.count = count
            self.weight = weight
            self.interval = interval
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if let (interval, scheduler) = interval {
                BatchConduit<Upstream.Output, Failure, Context>(
                    limit: count, weigh: weight, haste: TimeSpan(interval, on: scheduler), AnySubscriber(subscriber)
                )
                .connect(upstream, to: subscriber)
            } else {
                let tail = BatchTail<Upstream.Output, Failure>(limit: count, weigh: weight)
                upstream.receive(subscriber: TailConduit(tail, subscriber))
            }
        }
    }
}

extension Publishers.Batch: Sendable
where Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable {}

/// Collects values until an array is complete; the remaining values follow when upstream completes.
@usableFromInline struct BatchTail<Input, Failure: Error>: Tail {
    @usableFromInline let limit: Int

    @usableFromInline let weigh: (@Sendable (Input) -> Int)?

    @usableFromInline var values: [Input] = []

    @usableFromInline var weight = 0

    @inlinable init(limit: Int, weigh: (@Sendable (Input) -> Int)?) {
        self.limit = limit
        self.weigh = weigh
    }

    @inlinable var name: StaticString { "Batch" }

    @inlinable var inputsPerOutput: Int { weigh == nil ? limit : 1 }

    @inlinable var requestsAgain: Bool { weigh != nil }

    @inlinable mutating func receive(_ input: Input) -> [Input]? {
        if values.isEmpty, weigh == nil { values.reserveCapacity(min(limit, 64)) }
        values.append(input)
        weight = weight.saturatingSum(weigh.map { max(1, $0(input)) } ?? 1)
        if weight < limit { return nil }
        weight = 0
        return exchange(&values, with: [])
    }

    @inlinable func finalValue(before completion: Subscribers.Completion<Failure>) -> [Input]? {
        values.isEmpty ? nil : values
    }
}
