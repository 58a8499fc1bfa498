import HeadgateEngine

extension Publisher {
    /// Publishes, at regular intervals, an array of the values of the most recent span of time: windows that overlap.
    ///
    /// An array that is due without demand is dropped; its values are in the following ones for as long as the span
    /// lasts. To keep every value, use `batch(count:within:scheduler:)`.
    ///
    /// The intervals begin with the first value. When all values have left the span, an empty array is published, and the
    /// intervals begin anew with the next value.
    ///
    /// ```
    /// self     -1-2----3-------|
    /// sliding  within 8, every 4
    ///          -----[12][23][3]|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let time = TestScheduler()
    /// let latencies = PassthroughSubject<Int, Never>()
    /// let cancellable = latencies
    ///     .sliding(within: .seconds(60), every: .seconds(10), limit: 1_000, scheduler: time)
    ///     .sink { print(time.now, $0.max() ?? 0) }
    /// latencies.send(30)
    /// time.advance(by: .seconds(10))
    /// latencies.send(20)
    /// time.advance(by: .seconds(55))
    /// // 10s 30
    /// // 20s 30
    /// // 30s 30
    /// // 40s 30
    /// // 50s 30
    /// // 60s 20
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. An array that falls due without demand is dropped.
    /// - **Completion**: finishes after an array of the span before the end, if values have arrived since the last one;
    ///   it waits until it is requested. A failure is forwarded at once.
    /// - **Threads**: arrays are delivered on the scheduler, the last one on the thread on which upstream completes or on
    ///   that of the request.
    /// - **Complexity**: one reading of the clock per value, and one job of the scheduler per interval. Memory for `limit`
    ///   values.
    ///
    /// - Parameters:
    ///   - span: How long a value is in the arrays.
    ///   - interval: The time between two arrays: more than zero; traps otherwise.
    ///   - limit: The maximum number of values in an array: at least one; traps otherwise. If more arrive within the
    ///     span, the oldest leave it early.
    ///   - scheduler: The scheduler that measures time, and on which arrays are delivered.
    @preconcurrency @inlinable public func sliding<S: Scheduler>(
        within span: S.SchedulerTimeType.Stride, every interval: S.SchedulerTimeType.Stride, limit: Int, scheduler: S
    ) -> Publishers.SlidingTime<Self, S> where Output: Sendable {
        Publishers.SlidingTime(upstream: self, span: span, interval: interval, limit: limit, scheduler: scheduler)
    }

    /// Publishes, at regular intervals of a clock, an array of the values of the most recent span of time.
    ///
    /// An array that is due without demand is dropped. To keep every value, use `batch(count:within:clock:)`.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `sliding(within:every:limit:scheduler:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - span: How long a value is in the arrays.
    ///   - interval: The time between two arrays: more than zero; traps otherwise.
    ///   - limit: The maximum number of values in an array: at least one; traps otherwise.
    ///   - clock: The clock that measures time.
    @preconcurrency @inlinable public func sliding(
        within span: Duration, every interval: Duration, limit: Int, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.SlidingTime<Self, ClockScheduler> where Output: Sendable {
        sliding(within: .init(span), every: .init(interval), limit: limit, scheduler: ClockScheduler(clock))
    }
}

extension Publishers {
    /// A publisher of the values of the most recent span of time, at regular intervals.
    public struct SlidingTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long a value is in the arrays.
        public let span: Context.SchedulerTimeType.Stride

        /// The time between two arrays.
        public let interval: Context.SchedulerTimeType.Stride

        /// The maximum number of values in an array.
        public let limit: Int

        /// The scheduler that measures time, and on which arrays are delivered.
        public let scheduler: Context

        /// Creates the publisher that `sliding(within:every:limit:scheduler:)` returns.
        public init(
            upstream: Upstream, span: Context.SchedulerTimeType.Stride, interval: Context.SchedulerTimeType.Stride,
            limit: Int, scheduler: Context
        ) {
            requireLimit(limit, "sliding(limit:)")
            require(
                interval > .zero || Context.SchedulerTimeType.Stride.isNothing,
                rule: "The interval between two arrays must be greater than zero.", found: "\(interval)",
                remedy: "Pass the time between two arrays.")
            self.upstream = upstream
            self.span = span
            self.interval = interval
            self.limit = limit
            self.scheduler = scheduler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SlidingTimeConduit(
                span: span, interval: interval, limit: limit, on: scheduler, AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.SlidingTime: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
