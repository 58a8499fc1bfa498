import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Fails when the first value, the next value or the end of the stream is too long in coming.
    ///
    /// ```
    /// self      ---1--2------3-|
    /// timeout      between 4
    ///           ---1--2---x
    /// ```
    ///
    /// ```swift
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
    /// The times for the first value and for the whole count from the subscription, the one between values from the arrival
    /// of each, whether or not anything has been requested. A limit that is missing is none. Values stay on the thread on
    /// which they come; a value that comes at the moment of its limit is in time if it comes before the alarm.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. When a limit has passed, upstream is cancelled and the stream fails, on the
    ///   scheduler.
    /// - **Complexity**: constant time a value, without allocation; one look at the clock a value where there is a limit
    ///   between values. There is one alarm at a time, or two after the first value; none is set anew for every value.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the one before.
    ///   - total: How long the whole stream may take.
    ///   - scheduler: What tells the time, and where the alarm goes.
    ///   - options: Passed to the scheduler with every alarm.
    ///   - failure: Makes the failure. Called on the scheduler.
    @inlinable public func timeout<Context: Scheduler>(
        first: Context.SchedulerTimeType.Stride? = nil, between: Context.SchedulerTimeType.Stride? = nil,
        total: Context.SchedulerTimeType.Stride? = nil, scheduler: Context, options: Context.SchedulerOptions? = nil,
        failure: @escaping StreamClosure<StreamTimeout, Failure>
    ) -> Publishers.TimeLimits<Self, Context> {
        Publishers.TimeLimits(
            upstream: self, first: first, between: between, total: total, scheduler: scheduler, options: options,
            failure: failure)
    }

    /// Goes on with another publisher when the first value, the next value or the end of this one is too long in coming.
    ///
    /// ```
    /// self      ----------1-|
    /// timeout   first 4
    /// fallback      8---9-|
    ///           ----8---9-|
    /// ```
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let answers = PassthroughSubject<String, Never>()
    /// let inTime = answers
    ///     .timeout(first: .seconds(5), scheduler: scheduler, fallback: { _ in Just("nobody is there") })
    ///     .sink { print($0) }
    /// scheduler.advance(by: .seconds(5))
    /// // nobody is there
    /// ```
    ///
    /// - **Demand**: passed on. What this publisher has not served is asked of the other one.
    /// - **Completion**: passed on as it is, from whichever publisher goes last. When a limit has passed, this publisher is
    ///   cancelled. The other one has no limit.
    /// - **Complexity**: that of ``timeout(first:between:total:scheduler:options:failure:)``.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the one before.
    ///   - total: How long the whole stream may take.
    ///   - scheduler: What tells the time, and where the alarm goes.
    ///   - options: Passed to the scheduler with every alarm.
    ///   - fallback: Makes the publisher to go on with. Called on the scheduler.
    public func timeout<Context: Scheduler & StrictlySendable, Fallback: Publisher & StrictlySendable>(
        first: Context.SchedulerTimeType.Stride? = nil, between: Context.SchedulerTimeType.Stride? = nil,
        total: Context.SchedulerTimeType.Stride? = nil, scheduler: Context, options: Context.SchedulerOptions? = nil,
        fallback: @escaping StreamClosure<StreamTimeout, Fallback>
    ) -> AnyPublisher<Output, Failure>
    where
        Fallback.Output == Output, Fallback.Failure == Failure, Self: StrictlySendable,
        Context.SchedulerOptions: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable
    {
        mapError { Late.upstream($0) }
            .timeout(
                first: first, between: between, total: total, scheduler: scheduler, options: options,
                failure: { .timeout($0) }
            )
            .catch { late -> AnyPublisher<Output, Failure> in
                switch late {
                case .upstream(let failure): Fail(error: failure).eraseToAnyPublisher()
                case .timeout(let timeout): fallback(timeout).eraseToAnyPublisher()
                }
            }
            .eraseToAnyPublisher()
    }
}

/// Why a stream with a fallback has ended.
private enum Late<Failure: Error>: Error {
    case upstream(Failure)
    case timeout(StreamTimeout)
}

extension Publishers {
    /// A publisher of the values of another one that fails when these are too long in coming.
    public struct TimeLimits<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is waited for.
        public let upstream: Upstream

        /// How long the first value may take.
        public let first: Context.SchedulerTimeType.Stride?

        /// How long a value may take after the one before.
        public let between: Context.SchedulerTimeType.Stride?

        /// How long the whole stream may take.
        public let total: Context.SchedulerTimeType.Stride?

        /// What tells the time, and where the alarm goes.
        public let scheduler: Context

        /// What is passed to the scheduler with every alarm.
        public let options: Context.SchedulerOptions?

        /// What makes the failure.
        public let failure: StreamClosure<StreamTimeout, Failure>

        /// Makes the publisher that `timeout(first:between:total:scheduler:)` returns.
        public init(
            upstream: Upstream, first: Context.SchedulerTimeType.Stride?, between: Context.SchedulerTimeType.Stride?,
            total: Context.SchedulerTimeType.Stride?, scheduler: Context, options: Context.SchedulerOptions?,
            failure: @escaping StreamClosure<StreamTimeout, Failure>
        ) {
            self.upstream = upstream
            self.first = first
            self.between = between
            self.total = total
            self.scheduler = scheduler
            self.options = options
            self.failure = failure
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = UntilConduit<Output, Failure>(name: "TimeLimits", isDropping: false, to: subscriber)
            let watch = TimeLimitWatch(self, conduit)
            // So the watch lives as long as the stream, and no longer.
            _ = conduit.other.fill(with: watch)
            upstream.receive(
                subscriber: TimeLimitSubscriber(UntilSubscriber(conduit: conduit, to: subscriber), watch: watch))
        }
    }
}

extension Publishers.TimeLimits: StrictlySendable
where
    Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable,
    Context.SchedulerOptions: StrictlySendable
{}
