import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes arrays of so many values, or so much weight, each.
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
    /// - **Demand**: upstream is requested `count` values per batch that is requested, or one at a time where they have
    ///   weights. A batch that nobody has requested holds upstream back.
    /// - **Completion**: waits, a failure too, until the values that are left have been delivered.
    /// - **Complexity**: amortised constant time per value; memory for one batch.
    ///
    /// - Parameters:
    ///   - count: The number of values, or the weight, at which a batch is complete: at least one, or it is a programmer's
    ///     error and traps.
    ///   - weight: What a value counts for; less than one counts as one. The value that makes a batch complete is still in
    ///     it, so that it may exceed `count`.
    @inlinable public func batch(
        count: Int, weight: StreamClosure<Output, Int>? = nil
    ) -> Publishers.Batch<Self, ImmediateScheduler> {
        Publishers.Batch(upstream: self, count: count, weight: weight, interval: nil)
    }

    /// Publishes arrays of so many values, or so much weight, each, or of those that have come when the first has waited
    /// for so long.
    ///
    /// ```swift
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
    /// - **Demand**: upstream is requested as many values as the batch has room for, one at a time where they have weights,
    ///   from the first demand on. A batch that has waited for long enough goes on growing up to `count`
    ///   until it is requested.
    /// - **Completion**: waits, a failure too, until the values that are left have been delivered, at once if requested.
    /// - **Complexity**: amortised constant time per value; memory for one batch; one job of the scheduler at a time.
    ///
    /// - Parameters:
    ///   - count: The number of values, or the weight, at which a batch is complete: at least one, or it is a programmer's
    ///     error and traps.
    ///   - weight: What a value counts for; less than one counts as one.
    ///   - interval: How long the first value of a batch waits for others at the most.
    ///   - scheduler: What tells the time. A batch that is due by time is delivered there, one that is complete on the
    ///     thread that completes it.
    @inlinable public func batch<S: Scheduler>(
        count: Int, weight: StreamClosure<Output, Int>? = nil, within interval: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.Batch<Self, S> where Output: StrictlySendable {
        Publishers.Batch(upstream: self, count: count, weight: weight, interval: (interval, scheduler))
    }
}

extension Publishers {
    /// A publisher of arrays of values of another publisher that are complete by number, weight or time.
    public struct Batch<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// An array of values of upstream.
        public typealias Output = [Upstream.Output]

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream

        /// The number of values, or the weight, at which an array is complete.
        public let count: Int

        /// What a value counts for.
        public let weight: StreamClosure<Upstream.Output, Int>?

        @usableFromInline let interval: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, count: Int, weight: StreamClosure<Upstream.Output, Int>?,
            interval: (Context.SchedulerTimeType.Stride, Context)?
        ) {
            requireLimit(count, "batch(count:)")
            self.upstream = upstream
            self.count = count
            self.weight = weight
            self.interval = interval
        }

        /// Connects a subscriber.
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

extension Publishers.Batch: StrictlySendable
where Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable {}

/// Keeps values until there are enough for an array; what is left comes after the end.
@usableFromInline struct BatchTail<Input, Failure: Error>: Tail {
    @usableFromInline let limit: Int

    @usableFromInline let weigh: StreamClosure<Input, Int>?

    @usableFromInline var values: [Input] = []

    @usableFromInline var weight = 0

    @inlinable init(limit: Int, weigh: StreamClosure<Input, Int>?) {
        self.limit = limit
        self.weigh = weigh
    }

    @inlinable var name: StaticString { "Batch" }

    @inlinable var inputsPerOutput: Int { weigh == nil ? limit : 1 }

    @inlinable var asksAgain: Bool { weigh != nil }

    @inlinable mutating func receive(_ input: Input) -> [Input]? {
        if values.isEmpty, weigh == nil { values.reserveCapacity(min(limit, 64)) }
        values.append(input)
        weight += weigh.map { max(1, $0(input)) } ?? 1
        if weight < limit { return nil }
        weight = 0
        return exchange(&values, with: [])
    }

    @inlinable func end(
        _ completion: Subscribers.Completion<Failure>
    ) -> (last: [Input]?, completion: Subscribers.Completion<Failure>) {
        (values.isEmpty ? nil : values, completion)
    }
}
