import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Drops the values that nobody has requested, and tells of each.
    ///
    /// ```
    /// self                1--2--3--4--|
    /// requests            1--------1
    /// onBackpressureDrop  1--------4--|
    /// dropped             ---2--3
    /// ```
    ///
    /// ```swift
    /// let prices = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.first(1))
    /// prices.onBackpressureDrop { print("dropped", $0) }.subscribe(subscriber)
    /// prices.send(1)
    /// prices.send(2)
    /// // dropped 2
    /// ```
    ///
    /// - **Demand**: upstream is requested everything from.
    /// - **Completion**: passed on at once.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter onDrop: Told of each value that is dropped, on the thread that sent it.
    @inlinable public func onBackpressureDrop(
        _ onDrop: @escaping StreamClosure<Output, Void>
    ) -> Publishers.OnBackpressure<Self, ImmediateScheduler> {
        Publishers.OnBackpressure(upstream: self, limit: 0, whenFull: .dropNewest, onDrop: onDrop, expiry: nil)
    }

    /// Keeps the values that nobody has requested, up to a limit, and tells of each that it drops.
    ///
    /// ```
    /// self                  1--2--3--4-----|
    /// requests              1-----------2
    /// onBackpressureBuffer  1-----------(34)|   (limit 2, drops the oldest)
    /// dropped               ---------2
    /// ```
    ///
    /// ```swift
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
    /// - **Demand**: upstream is requested everything from.
    /// - **Completion**: waits, a failure too, until the values that are kept have been delivered. With `.customError`, the
    ///   first value that finds no room cancels upstream, and the error comes after those that are kept.
    /// - **Complexity**: constant time per value; memory for `limit` values.
    ///
    /// - Parameters:
    ///   - limit: How many values are kept at the most: at least one, or it is a programmer's error and traps.
    ///   - whenFull: What happens when there is no room for a value.
    ///   - onDrop: Told of each value that is dropped, on the thread that causes it.
    @inlinable public func onBackpressureBuffer(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>, onDrop: StreamClosure<Output, Void>? = nil
    ) -> Publishers.OnBackpressure<Self, ImmediateScheduler> {
        requireLimit(limit, "onBackpressureBuffer(limit:)")
        return Publishers.OnBackpressure(
            upstream: self, limit: limit, whenFull: whenFull, onDrop: onDrop, expiry: nil)
    }

    /// Keeps the values that nobody has requested, up to a limit and for a time, and tells of each that it drops.
    ///
    /// ```swift
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
    /// **Demand**, **Completion** and **Complexity** are those of `onBackpressureBuffer(limit:whenFull:onDrop:)`. There is
    /// one job of the scheduler at a time, for the oldest value.
    ///
    /// - Parameters:
    ///   - limit: How many values are kept at the most: at least one, or it is a programmer's error and traps.
    ///   - whenFull: What happens when there is no room for a value.
    ///   - onDrop: Told of each value that is dropped, on the thread that causes it, or on the scheduler.
    ///   - expiry: How long a value is kept at the most. Zero keeps it until the scheduler runs its next job.
    ///   - scheduler: What tells the time.
    @inlinable public func onBackpressureBuffer<S: Scheduler>(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>, onDrop: StreamClosure<Output, Void>? = nil,
        expiry: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.OnBackpressure<Self, S> where Output: StrictlySendable {
        requireLimit(limit, "onBackpressureBuffer(limit:)")
        return Publishers.OnBackpressure(
            upstream: self, limit: limit, whenFull: whenFull, onDrop: onDrop, expiry: (expiry, scheduler))
    }
}

extension Publishers {
    /// A publisher that takes in everything that another one sends, and drops what it has no room for.
    public struct OnBackpressure<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream, and that of having no room.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are taken in.
        public let upstream: Upstream

        /// How many values are kept at the most.
        public let limit: Int

        /// What happens when there is no room for a value.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// What is told of a value that is dropped.
        public let onDrop: StreamClosure<Output, Void>?

        @usableFromInline let expiry: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, limit: Int, whenFull: Publishers.BufferingStrategy<Failure>,
            onDrop: StreamClosure<Output, Void>?, expiry: (Context.SchedulerTimeType.Stride, Context)?
        ) {
            self.upstream = upstream
            self.limit = limit
            self.whenFull = whenFull
            self.onDrop = onDrop
            self.expiry = expiry
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            BufferConduit<Output, Failure, Context>(
                name: "OnBackpressure", size: limit, demand: .everything, whenFull: whenFull.rule,
                expiry: expiry.map { TimeSpan($0.0, on: $0.1) }, onDrop: Undeliverable.telling(onDrop),
                AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.OnBackpressure: StrictlySendable
where Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable {}
