import HeadgateEngine

extension Publisher {
    /// Publishes a value once no other has followed it for a time that depends on the value.
    ///
    /// Drops a value if another one follows within that time, and one that falls due while nothing is requested. To
    /// keep them all, use `batch(count:within:scheduler:)`.
    ///
    /// ```
    /// self      a---bb-bbb---c---|
    /// debounce  - per letter
    ///           -a----bb--bbb-c--|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let time = TestScheduler()
    /// let keys = PassthroughSubject<String, Never>()
    /// let cancellable = keys
    ///     .debounce(scheduler: time) { $0.isEmpty ? .zero : .milliseconds(300) }
    ///     .sink { print("searching for '\($0)' at", time.now) }
    /// keys.send("s")
    /// keys.send("se")
    /// time.advance(by: .seconds(1))
    /// keys.send("")
    /// // searching for 'se' at 0.3s
    /// // searching for '' at 1s
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. A value that falls due without demand is dropped.
    /// - **Completion**: when upstream finishes, the waiting value is published at once, since no value can follow it,
    ///   and the completion after it; without demand, both wait for it. A failure does the same but doesn't wait for
    ///   demand: without any, the value is lost.
    /// - **Threads**: the closure is called on the thread on which upstream delivers. A value is delivered on the
    ///   scheduler; one that is due at once, and what the completion brings, on the thread on which upstream delivers.
    /// - **Complexity**: one reading of the clock per value. There is one timer at a time, which is set anew only for a
    ///   value that is due earlier.
    ///
    /// - Parameters:
    ///   - scheduler: Provides the time and delivers the values.
    ///   - dueTime: How long to wait for another value before a value is published; with zero or less, it is published
    ///     at once.
    @inlinable public func debounce<S: Scheduler>(
        scheduler: S, _ dueTime: @escaping @Sendable (Output) -> S.SchedulerTimeType.Stride
    ) -> Publishers.DebounceByValue<Self, S> where Output: Sendable {
        Publishers.DebounceByValue(upstream: self, scheduler: scheduler, dueTime: dueTime)
    }

    /// Publishes a value once no other has followed it for a time on a clock that depends on the value.
    ///
    /// Drops a value if another one follows within that time, and one that falls due while nothing is requested. To
    /// keep them all, use `batch(count:within:clock:)`.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `debounce(scheduler:_:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures the time.
    ///   - dueTime: How long to wait for another value before a value is published; with zero or less, it is published
    ///     at once.
    @inlinable public func debounce(
        clock: any Clock<Duration> = ContinuousClock(), _ dueTime: @escaping @Sendable (Output) -> Duration
    ) -> Publishers.DebounceByValue<Self, ClockScheduler> where Output: Sendable {
        debounce(scheduler: ClockScheduler(clock)) { .init(dueTime($0)) }
    }
}

extension Publishers {
    /// A publisher of the upstream values that no other follows for a time that depends on them.
    public struct DebounceByValue<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that provides the time and delivers values.
        public let scheduler: Context

        /// How long to wait for another value before a value is published.
        public let dueTime: @Sendable (Output) -> Context.SchedulerTimeType.Stride

        /// Creates the publisher that `debounce(scheduler:_:)` returns.
        @inlinable public init(
            upstream: Upstream, scheduler: Context,
            dueTime: @escaping @Sendable (Output) -> Context.SchedulerTimeType.Stride
        ) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.dueTime = dueTime
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            DebounceConduit(dueTime: dueTime, on: scheduler, AnySubscriber(subscriber))
                .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.DebounceByValue: Sendable where Upstream: Sendable, Context: Sendable {}
