import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// Which time limit a stream has passed.
public enum StreamTimeout: Error, Hashable, Sendable, CaseIterable {
    /// The first value has not come in time.
    case first

    /// A value has not followed the one before in time.
    case between

    /// The whole stream has taken too long.
    case total
}

extension StreamTimeout: CustomStringConvertible {
    /// What has taken too long, in words.
    public var description: String {
        switch self {
        case .first: "the first value has not come in time"
        case .between: "the next value has not come in time"
        case .total: "the stream has taken too long"
        }
    }
}

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

/// Passes everything on, and tells a watch what has come.
@usableFromInline struct TimeLimitSubscriber<Upstream: Publisher, Context: Scheduler>: Subscriber {
    @usableFromInline typealias Input = Upstream.Output

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let downstream: UntilSubscriber<Input, Failure>

    @usableFromInline let watch: TimeLimitWatch<Upstream, Context>

    @inlinable init(_ downstream: UntilSubscriber<Input, Failure>, watch: TimeLimitWatch<Upstream, Context>) {
        self.downstream = downstream
        self.watch = watch
    }

    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable func receive(subscription: any Subscription) {
        watch.begin()
        downstream.receive(subscription: subscription)
    }

    @inlinable func receive(_ input: Input) -> Subscribers.Demand {
        watch.noteValue()
        return downstream.receive(input)
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
}

/// Ends a stream when it is too late.
///
/// An alarm looks whether it is, or what the next moment to look is. It keeps neither this alive nor the conduit: it may
/// be set for long, and the stream may end soon.
@usableFromInline final class TimeLimitWatch<Upstream: Publisher, Context: Scheduler>: Subscription {
    @usableFromInline typealias Time = Context.SchedulerTimeType

    /// The moments at which the stream is too late, as far as they are known.
    @usableFromInline struct Deadlines {
        @usableFromInline var first: Time?

        @usableFromInline var between: Time?

        @usableFromInline var total: Time?

        @inlinable init() {}

        /// Which deadline has passed at a moment.
        func passed(at moment: Time) -> StreamTimeout? {
            if let total, total <= moment { return .total }
            if let first, first <= moment { return .first }
            if let between, between <= moment { return .between }
            return nil
        }

        var next: Time? { [first, between, total].compactMap { $0 }.min() }
    }

    @usableFromInline let limits: Publishers.TimeLimits<Upstream, Context>

    @usableFromInline weak var conduit: UntilConduit<Upstream.Output, Upstream.Failure>?

    @usableFromInline let deadlines = Guarded(Deadlines())

    // Used by the deliveries of upstream, which are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline var hasBegun = false

    @exclusivity(unchecked) @usableFromInline var hasSeenValue = false

    @usableFromInline init(
        _ limits: Publishers.TimeLimits<Upstream, Context>, _ conduit: UntilConduit<Upstream.Output, Upstream.Failure>
    ) {
        self.limits = limits
        self.conduit = conduit
    }

    @usableFromInline func request(_ demand: Subscribers.Demand) {}

    // What an alarm needs to know is whether upstream's slot is closed.
    @usableFromInline func cancel() {}

    /// Starts the clock.
    @usableFromInline func begin() {
        if exchange(&hasBegun, with: true) { return }
        let now = limits.scheduler.now
        let first = limits.first.map { now.advanced(by: $0) }
        let total = limits.total.map { now.advanced(by: $0) }
        deadlines.withLock {
            $0.first = first
            $0.total = total
        }
        schedule([first, total].compactMap { $0 }.min())
    }

    /// Sets the deadline of the next value.
    @inlinable func noteValue() {
        if let between = limits.between {
            let deadline = limits.scheduler.now.advanced(by: between)
            deadlines.withLock {
                $0.first = nil
                $0.between = deadline
            }
            // From here on, an alarm is always set for this deadline or for one before it.
            if !hasSeenValue { schedule(deadline) }
        } else if !hasSeenValue {
            deadlines.withLock { $0.first = nil }
        }
        hasSeenValue = true
    }

    @usableFromInline func schedule(_ date: Time?) {
        guard let date, let conduit, !conduit.upstream.isClosed else { return }
        limits.scheduler.schedule(
            after: date, tolerance: limits.scheduler.minimumTolerance, options: limits.options,
            serially { [weak self] in self?.look(date) })
    }

    /// Ends the stream, or waits for the next deadline.
    ///
    /// - Parameter date: The moment for which the alarm was set. It counts as reached even if the clock says otherwise:
    ///   there are schedulers that wait for nothing.
    private func look(_ date: Time) {
        guard let conduit, !conduit.upstream.isClosed else { return }
        let deadlines = deadlines.withLock { $0 }
        if let timeout = deadlines.passed(at: max(date, limits.scheduler.now)) {
            conduit.perform(.otherFailure(limits.failure(timeout)))
        } else if date != deadlines.total {
            schedule(deadlines.next)
        }
    }
}
