import HeadgateEngine

extension Publisher {
    /// Drops the values for which there is no demand, and reports each of them.
    ///
    /// To keep them, use `onBackpressureBuffer`; to keep the most recent one, `conflate`.
    ///
    /// ```
    /// self                1--2--3--4--|
    /// requests            1--------1
    /// onBackpressureDrop  1--------4--|
    /// dropped             ---2--3
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let prices = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.first(1))
    /// prices.onBackpressureDrop { print("dropped", $0) }.subscribe(subscriber)
    /// prices.send(1)
    /// prices.send(2)
    /// // dropped 2
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream.
    /// - **Completion**: forwarded at once.
    /// - **Threads**: upstream's: a value is delivered, or dropped and reported, on the thread on which upstream
    ///   delivers it.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter onDrop: Called with each dropped value, on the sending thread.
    @preconcurrency @inlinable public func onBackpressureDrop(
        _ onDrop: @escaping @Sendable (Output) -> Void
    ) -> Publishers.OnBackpressure<Self, ImmediateScheduler> {
        Publishers.OnBackpressure(upstream: self, limit: 0, whenFull: .dropNewest, onDrop: onDrop, expiry: nil)
    }

    /// Buffers the values for which there is no demand, up to a limit, and reports each value that it drops.
    ///
    /// To drop none, hold upstream back, if it can wait, with `prefetch` or `rateLimit`, or use a `StreamChannel` as the
    /// source.
    ///
    /// ```
    /// self                  1--2--3--4-----|
    /// requests              1-----------2
    /// onBackpressureBuffer  1-----------(34)|   limit 2, drops the oldest
    /// dropped               ---------2
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let prices = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.first(1))
    /// prices
    ///     .onBackpressureBuffer(limit: 2, whenFull: .dropOldest) { print("dropped", $0) }
    ///     .subscribe(subscriber)
    /// for price in 1...4 { prices.send(price) }
    /// subscriber.request(.max(2))
    /// print(subscriber.values)
    /// // dropped 2
    /// // [1, 3, 4]
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream.
    /// - **Completion**: delivered after the buffered values, even a failure. With `.customError`, the first value that
    ///   exceeds the limit cancels upstream, and the error follows the buffered values.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, or on that of the request that
    ///   it has waited for. A request that is made while another thread delivers is served by that thread.
    /// - **Complexity**: constant time per value; memory for `limit` values.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of buffered values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value when the buffer is full.
    ///   - onDrop: Called with each dropped value, on the thread that causes the drop.
    @preconcurrency @inlinable public func onBackpressureBuffer(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>, onDrop: (@Sendable (Output) -> Void)? = nil
    ) -> Publishers.OnBackpressure<Self, ImmediateScheduler> {
        requireLimit(limit, "onBackpressureBuffer(limit:)")
        return Publishers.OnBackpressure(
            upstream: self, limit: limit, whenFull: whenFull, onDrop: onDrop, expiry: nil)
    }

    /// Buffers the values for which there is no demand, up to a limit and for a time, and reports each value that it
    /// drops.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let prices = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.none)
    /// prices
    ///     .onBackpressureBuffer(
    ///         limit: 100, whenFull: .dropOldest, onDrop: { print("dropped", $0) }, expiry: .seconds(2),
    ///         scheduler: scheduler)
    ///     .subscribe(subscriber)
    /// prices.send(1)
    /// scheduler.advance(by: .seconds(2))
    /// prices.send(2)
    /// subscriber.request(.max(1))
    /// print(subscriber.values)
    /// // dropped 1
    /// // [2]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `onBackpressureBuffer(limit:whenFull:onDrop:)`. The scheduler has at most one job at a time, for the oldest
    /// value.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of buffered values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value when the buffer is full.
    ///   - onDrop: Called with each dropped value, on the thread that causes the drop, or on the scheduler.
    ///   - expiry: How long a value is buffered at most. With zero, until the scheduler runs its next job.
    ///   - scheduler: The scheduler that measures time.
    @preconcurrency @inlinable public func onBackpressureBuffer<S: Scheduler>(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>, onDrop: (@Sendable (Output) -> Void)? = nil,
        expiry: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.OnBackpressure<Self, S> where Output: Sendable {
        requireLimit(limit, "onBackpressureBuffer(limit:)")
        return Publishers.OnBackpressure(
            upstream: self, limit: limit, whenFull: whenFull, onDrop: onDrop, expiry: (expiry, scheduler))
    }
}

extension Publishers {
    /// A publisher that requests unlimited values from upstream, and drops values when its buffer is full.
    public struct OnBackpressure<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of buffered values.
        public let limit: Int

        /// What happens to a value when the buffer is full.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Called with each dropped value.
        public let onDrop: (@Sendable (Output) -> Void)?

        @usableFromInline let expiry: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, limit: Int, whenFull: Publishers.BufferingStrategy<Failure>,
            onDrop: (@Sendable (Output) -> Void)?, expiry: (Context.SchedulerTimeType.Stride, Context)?
        ) {
            self.upstream = upstream
            self.limit = limit
            self.whenFull = whenFull
            self.onDrop = onDrop
            self.expiry = expiry
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            BufferConduit<Output, Failure, Context>(
                name: "OnBackpressure", size: limit, requesting: .unlimited, whenFull: whenFull.rule,
                expiry: expiry.map { TimeSpan($0.0, on: $0.1) },
                onDrop: Undeliverable.reporting(onDrop, by: "onBackpressure"),
                subscriber
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.OnBackpressure: Sendable
where Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable {}
