import HeadgateEngine

extension Publisher {
    /// Fails when the first value, the next value or the completion takes too long.
    ///
    /// ```
    /// self      ---1--2------3-|
    /// timeout      between 4
    ///           ---1--2---x
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// struct TooLate: Error { let limit: StreamTimeout }
    /// let scheduler = TestScheduler()
    /// let answers = PassthroughSubject<String, TooLate>()
    /// let inTime = answers
    ///     .timeout(first: .seconds(5), between: .seconds(1), scheduler: scheduler) { TooLate(limit: $0) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// answers.send("hello")
    /// // hello
    /// scheduler.advance(by: .seconds(1))
    /// // failure(main.TooLate(limit: the next value has not come in time))
    /// ```
    ///
    /// The limits for the first value and for the whole stream start with the subscription, the one between values with
    /// the arrival of each, whether or not there is demand. With `counting: .whileRequested`, those for the first value
    /// and between values start when something is requested and nothing else is awaited, and count only until what is
    /// requested has arrived: so a slow subscriber is not mistaken for a silent source. A limit of `nil` does not apply. Values stay on the thread
    /// on which they arrive; a value that arrives exactly at its deadline is in time if it arrives before the
    /// scheduler's job runs.
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded. When a limit is exceeded, upstream is cancelled and the stream fails, on the
    ///   scheduler.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it. When a limit is
    ///   exceeded, the closure is called, upstream cancelled and the failure delivered on the scheduler, or by the
    ///   thread that is delivering at that time.
    /// - **Complexity**: constant time per value, without allocation; one reading of the clock per value if there is a
    ///   limit between values. At most one job of the scheduler at a time; none is rescheduled per value, except after
    ///   the first.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the previous one.
    ///   - total: How long the whole stream may take.
    ///   - counting: Whether the first two limits count all time, or only that in which values are requested.
    ///   - scheduler: The scheduler that measures time, and on which the stream fails.
    ///   - options: Options for every job of the scheduler.
    ///   - failure: Creates the failure. Called on the scheduler.
    @preconcurrency @inlinable public func timeout<Context: Scheduler>(
        first: Context.SchedulerTimeType.Stride? = nil, between: Context.SchedulerTimeType.Stride? = nil,
        total: Context.SchedulerTimeType.Stride? = nil, counting: CountedTime = .always, scheduler: Context,
        options: Context.SchedulerOptions? = nil, failure: @escaping @Sendable (StreamTimeout) -> Failure
    ) -> Publishers.TimeLimits<Self, Context> {
        Publishers.TimeLimits(
            upstream: self, first: first, between: between, total: total, counting: counting, scheduler: scheduler,
            options: options, completion: { .failure(failure($0)) })
    }

    /// Continues with another publisher when the first value, the next value or the completion of this one takes too
    /// long.
    ///
    /// ```
    /// self      ----------1-|
    /// timeout   first 4
    /// fallback      8---9-|
    ///           ----8---9-|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let answers = PassthroughSubject<String, Never>()
    /// let inTime = answers
    ///     .timeout(first: .seconds(5), scheduler: scheduler, fallback: { _ in Just("nobody is there") })
    ///     .sink { print($0) }
    /// scheduler.advance(by: .seconds(5))
    /// // nobody is there
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that this publisher has not served is requested from the other one.
    /// - **Completion**: that of the publisher that is active last. When a limit is exceeded, this publisher is
    ///   cancelled. The other one has no limit.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. When a limit is exceeded, the
    ///   closure is called and the other publisher subscribed to on the scheduler, or by the thread that is delivering
    ///   at that time.
    /// - **Complexity**: that of ``timeout(first:between:total:counting:scheduler:options:failure:)``.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the previous one.
    ///   - total: How long the whole stream may take.
    ///   - counting: Whether the first two limits count all time, or only that in which values are requested.
    ///   - scheduler: The scheduler that measures time.
    ///   - options: Options for every job of the scheduler.
    ///   - fallback: Creates the publisher to continue with. Called on the scheduler.
    @preconcurrency @inlinable public func timeout<Context: Scheduler, Fallback: Publisher>(
        first: Context.SchedulerTimeType.Stride? = nil, between: Context.SchedulerTimeType.Stride? = nil,
        total: Context.SchedulerTimeType.Stride? = nil, counting: CountedTime = .always, scheduler: Context,
        options: Context.SchedulerOptions? = nil,
        fallback: @escaping @Sendable (StreamTimeout) -> Fallback
    ) -> AnyPublisher<Output, Failure>
    where
        Fallback.Output == Output, Fallback.Failure == Failure
    {
        let limited = mapError { Late.upstream($0) }
            .timeout(
                first: first, between: between, total: total, counting: counting, scheduler: scheduler,
                options: options, failure: { .timeout($0) }
            )
        return Deferred(
            createPublisher: serially {
                let locals = TaskLocals()
                return limited.catch { late -> AnyPublisher<Output, Failure> in
                    switch late {
                    case .upstream(let failure): Fail(error: failure).eraseToAnyPublisher()
                    case .timeout(let timeout):
                        AnyPublisher(attaching: { subscriber in
                            locals.perform { fallback(timeout).receive(subscriber: subscriber) }
                        })
                    }
                }
            }
        )
        .eraseToAnyPublisher()
    }
}

/// Why upstream of a fallback has failed.
@usableFromInline enum Late<Failure: Error>: Error {
    case upstream(Failure)
    case timeout(StreamTimeout)
}

extension Publishers {
    /// A publisher of upstream's values that fails when these take too long.
    public struct TimeLimits<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long the first value may take.
        public let first: Context.SchedulerTimeType.Stride?

        /// How long a value may take after the previous one.
        public let between: Context.SchedulerTimeType.Stride?

        /// How long the whole stream may take.
        public let total: Context.SchedulerTimeType.Stride?

        /// Which time the limits for values count.
        public let counting: CountedTime

        /// The scheduler that measures time, and on which the stream fails.
        public let scheduler: Context

        /// Options for every job of the scheduler.
        public let options: Context.SchedulerOptions?

        /// Creates the completion of a stream that exceeds a limit.
        public let completion: @Sendable (StreamTimeout) -> Subscribers.Completion<Failure>

        /// Creates the publisher that `timeout(first:between:total:scheduler:)` returns.
        @preconcurrency public init(
            upstream: Upstream, first: Context.SchedulerTimeType.Stride?, between: Context.SchedulerTimeType.Stride?,
            total: Context.SchedulerTimeType.Stride?, counting: CountedTime = .always, scheduler: Context,
            options: Context.SchedulerOptions?,
            completion: @escaping @Sendable (StreamTimeout) -> Subscribers.Completion<Failure>
        ) {
            self.upstream = upstream
            self.first = first
            self.between = between
            self.total = total
            self.counting = counting
            self.scheduler = scheduler
            self.options = options
            self.completion = completion
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            TimeLimitConduit(
                first: first, between: between, total: total, countsOnlyRequested: counting == .whileRequested,
                scheduler: scheduler, options: options, AnySubscriber(subscriber), completion: completion
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.TimeLimits: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}
