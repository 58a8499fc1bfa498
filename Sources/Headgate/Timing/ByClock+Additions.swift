import Dispatch
import HeadgateEngine

// Headgate's timed operators with the time of a clock. Each calls its twin that takes a scheduler.

extension Publisher {
    /// Delays the subscription to this publisher, on a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `delaySubscription(for:tolerance:scheduler:options:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: How long to wait.
    ///   - clock: The clock that measures it.
    @inlinable public func delaySubscription(
        for interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.DelaySubscription<Self, ClockScheduler> {
        delaySubscription(for: .init(interval), scheduler: ClockScheduler(clock))
    }

    /// Fails when the first value, the next value or the completion takes too long on a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `timeout(first:between:total:counting:scheduler:options:failure:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the previous one.
    ///   - total: How long the whole stream may take.
    ///   - counting: Whether the first two limits count all time, or only that in which values are requested.
    ///   - clock: The clock that measures it.
    ///   - failure: Creates the failure.
    @preconcurrency @inlinable public func timeout(
        first: Duration? = nil, between: Duration? = nil, total: Duration? = nil, counting: CountedTime = .always,
        clock: any Clock<Duration> = ContinuousClock(), failure: @escaping @Sendable (StreamTimeout) -> Failure
    ) -> Publishers.TimeLimits<Self, ClockScheduler> {
        timeout(
            first: first.map { .init($0) }, between: between.map { .init($0) }, total: total.map { .init($0) },
            counting: counting, scheduler: ClockScheduler(clock), failure: failure)
    }

    /// Continues with another publisher when the first value, the next value or the completion of this one takes too
    /// long on a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `timeout(first:between:total:counting:scheduler:options:fallback:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - first: How long the first value may take.
    ///   - between: How long a value may take after the previous one.
    ///   - total: How long the whole stream may take.
    ///   - counting: Whether the first two limits count all time, or only that in which values are requested.
    ///   - clock: The clock that measures it.
    ///   - fallback: Creates the publisher to continue with.
    @preconcurrency @inlinable public func timeout<Fallback: Publisher<Output, Failure>>(
        first: Duration? = nil, between: Duration? = nil, total: Duration? = nil, counting: CountedTime = .always,
        clock: any Clock<Duration> = ContinuousClock(), fallback: @escaping @Sendable (StreamTimeout) -> Fallback
    ) -> AnyPublisher<Output, Failure> {
        timeout(
            first: first.map { .init($0) }, between: between.map { .init($0) }, total: total.map { .init($0) },
            counting: counting, scheduler: ClockScheduler(clock), fallback: fallback)
    }

    /// Limits the number of values per interval of a clock by holding demand back.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `rateLimit(_:per:burst:cost:scheduler:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - count: How many tokens are added per interval: at least one; traps otherwise.
    ///   - interval: The time in which they are added. Zero or less means no limit.
    ///   - burst: How many tokens the bucket holds: at least one; traps otherwise. The default is `count`.
    ///   - cost: How many tokens a value costs; one by default. A negative cost traps.
    ///   - clock: The clock that measures time.
    @preconcurrency @inlinable public func rateLimit(
        _ count: Int, per interval: Duration, burst: Int? = nil, cost: (@Sendable (Output) -> Int)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.RateLimit<Self, ClockScheduler> where Output: Sendable {
        rateLimit(count, per: .init(interval), burst: burst, cost: cost, scheduler: ClockScheduler(clock))
    }

    /// Ensures a minimum interval of a clock between values by holding demand back.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `interval(_:scheduler:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values. Zero or less means no limit.
    ///   - clock: The clock that measures it.
    @preconcurrency @inlinable public func interval(
        _ interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.RateLimit<Self, ClockScheduler> where Output: Sendable {
        self.interval(.init(interval), scheduler: ClockScheduler(clock))
    }

    /// Subscribes to this publisher again when it fails, according to a policy and a clock.
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// struct Problem: Error {}
    /// let attempts = Atomic(0)
    /// let answer = Deferred {
    ///     let attempt = attempts.add(1, ordering: .relaxed).newValue
    ///     return attempt < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(7)
    /// }
    /// for try await value in answer.retry(.exponential(initial: .milliseconds(1), retries: 5)).values {
    ///     print(value)
    /// }
    /// // 7
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// ``retry(_:scheduler:options:using:where:onRetry:)`` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - policy: How often to retry, and after what delays.
    ///   - clock: The clock that measures time.
    ///   - generator: The source of the jitter. Each subscription begins with a copy.
    ///   - shouldRetry: Whether to retry after a failure; by default, always.
    ///   - onRetry: Called with each retry, before its delay.
    @inlinable public func retry(
        _ policy: RetryPolicy, clock: any Clock<Duration> = ContinuousClock(),
        using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        where shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true },
        onRetry: @escaping @Sendable (RetryAttempt<Failure>) -> Void = { _ in }
    ) -> Publishers.RetryByPolicy<Self, ClockScheduler, Failure> {
        retry(
            policy, scheduler: ClockScheduler(clock), using: generator, where: shouldRetry, onRetry: onRetry)
    }

    /// Subscribes to this publisher again when it fails, according to a policy and a clock, and transforms the last
    /// failure.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// ``retry(_:scheduler:options:using:where:onRetry:)`` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - policy: How often to retry, and after what delays.
    ///   - clock: The clock that measures time.
    ///   - generator: The source of the jitter. Each subscription begins with a copy.
    ///   - shouldRetry: Whether to retry after a failure; by default, always.
    ///   - onRetry: Called with each retry, before its delay.
    ///   - exhausted: Creates the failure of the stream; `{ $0 }` keeps the ``RetryExhausted``.
    @inlinable public func retry<NewFailure: Error>(
        _ policy: RetryPolicy, clock: any Clock<Duration> = ContinuousClock(),
        using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        where shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true },
        onRetry: @escaping @Sendable (RetryAttempt<Failure>) -> Void = { _ in },
        exhausted: @escaping @Sendable (RetryExhausted<Failure>) -> NewFailure
    ) -> Publishers.RetryByPolicy<Self, ClockScheduler, NewFailure> {
        retry(
            policy, scheduler: ClockScheduler(clock), using: generator, where: shouldRetry, onRetry: onRetry,
            exhausted: exhausted)
    }

    /// Buffers values for a limited time of a clock.
    ///
    /// Drops values as `whenFull` says, and those that have waited for too long.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `onBackpressureBuffer(limit:whenFull:onDrop:expiry:scheduler:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of buffered values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value when the buffer is full.
    ///   - onDrop: Called with each dropped value.
    ///   - expiry: How long a value is buffered at most.
    ///   - clock: The clock that measures it.
    @preconcurrency @inlinable public func onBackpressureBuffer(
        limit: Int, whenFull: Publishers.BufferingStrategy<Failure>, onDrop: (@Sendable (Output) -> Void)? = nil,
        expiry: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.OnBackpressure<Self, ClockScheduler> where Output: Sendable {
        onBackpressureBuffer(
            limit: limit, whenFull: whenFull, onDrop: onDrop, expiry: .init(expiry), scheduler: ClockScheduler(clock))
    }

    /// Publishes arrays of values, completed by number, weight or the time of a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `batch(count:weight:within:scheduler:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - count: The number of values, or the weight, that completes a batch: at least one; traps otherwise.
    ///   - weight: The weight of a value; less than one counts as one.
    ///   - interval: How long the first value of a batch waits for others at most.
    ///   - clock: The clock that measures it.
    @preconcurrency @inlinable public func batch(
        count: Int, weight: (@Sendable (Output) -> Int)? = nil, within interval: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.Batch<Self, ClockScheduler> where Output: Sendable {
        batch(count: count, weight: weight, within: .init(interval), scheduler: ClockScheduler(clock))
    }

    /// Splits the values into publishers, each of which has the values of one interval of a clock.
    ///
    /// Drops values as `unread` says.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `window(within:scheduler:buffer:unread:onDrop:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: How long a window stays open after its first value.
    ///   - clock: The clock that measures it.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - unread: What happens to the values of a window without a subscriber.
    ///   - onDrop: Called with each dropped value.
    @preconcurrency @inlinable public func window(
        within interval: Duration, clock: any Clock<Duration> = ContinuousClock(), buffer: Int = 16,
        unread: Publishers.UnreadWindow,
        onDrop: (@Sendable (Output) -> Void)? = nil
    ) -> Publishers.Windows<Self, Empty<Never, Failure>, ClockScheduler> {
        window(
            within: .init(interval), scheduler: ClockScheduler(clock), buffer: buffer, unread: unread, onDrop: onDrop)
    }

    /// Splits the values into publishers by key; a group without values finishes after a time of a clock.
    ///
    /// Drops values as `whenFull` says.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `groupBy(limit:idleTimeout:scheduler:buffer:whenFull:onDrop:_:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of groups: at least one; traps otherwise.
    ///   - idleTimeout: How long a group without values stays open.
    ///   - clock: The clock that measures it.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value with a new key when there are `limit` groups.
    ///   - onDrop: Called with each dropped value.
    ///   - key: The key of a value.
    @preconcurrency @inlinable public func groupBy<Key: Hashable & SendableMetatype>(
        limit: Int, idleTimeout: Duration, clock: any Clock<Duration> = ContinuousClock(), buffer: Int = 16,
        whenFull: Publishers.GroupOverflow<Failure>, onDrop: (@Sendable (Output) -> Void)? = nil,
        _ key: @escaping @Sendable (Output) -> Key
    ) -> Publishers.GroupBy<Self, Key, ClockScheduler> {
        groupBy(
            limit: limit, idleTimeout: .init(idleTimeout), scheduler: ClockScheduler(clock), buffer: buffer,
            whenFull: whenFull, onDrop: onDrop, key)
    }

    /// Shares one subscription, and replays the most recent values that are not older than a time of a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `share(replay:for:scheduler:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - count: The maximum number of replayed values; zero and `.max` are allowed. A negative number traps.
    ///   - interval: The age at which a value expires.
    ///   - clock: The clock that measures it.
    @inlinable public func share(
        replay count: Int, for interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.ShareReplay<Self> {
        share(replay: count, for: .init(interval), scheduler: ClockScheduler(clock))
    }

    /// Serves all subscribers from one run of this publisher while it is active, and for a time of a clock after it has
    /// finished.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `cached(for:limit:scheduler:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: How long a run is kept after it has finished.
    ///   - limit: The maximum number of values kept. A negative number traps.
    ///   - clock: The clock that measures it.
    @inlinable public func cached(
        for interval: Duration, limit: Int = 1024, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.Cached<Self, ClockScheduler> {
        cached(for: .init(interval), limit: limit, scheduler: ClockScheduler(clock))
    }

    /// Forwards values for a duration of a clock, then finishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `prefix(duration:tolerance:on:options:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - duration: The time from the subscription.
    ///   - clock: The clock that measures it.
    @inlinable public func prefix(
        duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> AnyPublisher<Output, Failure> {
        prefix(duration: .init(duration), scheduler: ClockScheduler(clock))
    }

    /// Reports when nothing has passed for an interval of a clock, and which side is waiting.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `onStall(for:scheduler:options:_:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: How long nothing may pass: more than zero; traps otherwise.
    ///   - clock: The clock that measures it.
    ///   - report: Called with each stall.
    @preconcurrency @inlinable public func onStall(
        for interval: Duration, clock: any Clock<Duration> = ContinuousClock(),
        _ report: @escaping @Sendable (StreamStall) -> Void
    ) -> Publishers.StallWatched<Self, ClockScheduler> {
        onStall(for: .init(interval), scheduler: ClockScheduler(clock), report)
    }
}

extension ConnectablePublisher {
    /// Connects when there are enough subscribers, and disconnects a time of a clock after the last one has left.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `autoconnect(after:grace:scheduler:options:)` on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - subscribers: How many subscribers are needed to connect: at least one; traps otherwise.
    ///   - grace: How long the connection is kept without subscribers.
    ///   - clock: The clock that measures it.
    public func autoconnect(
        after subscribers: Int, grace: Duration = .zero, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.AutoconnectAfter<Self, ClockScheduler> {
        autoconnect(after: subscribers, grace: .init(grace), scheduler: ClockScheduler(clock))
    }
}

extension CircuitBreaker {
    /// Creates a closed breaker with the time of a clock.
    ///
    /// - Parameters:
    ///   - policy: When it opens, for how long, and what closes it.
    ///   - name: Its name in failures.
    ///   - clock: The clock that measures time.
    public convenience init(
        _ policy: CircuitBreakerPolicy = CircuitBreakerPolicy(), name: String = "",
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(policy, name: name, scheduler: ClockScheduler(clock))
    }
}

extension Publishers {
    /// A publisher of the current time, at regular intervals, on a queue.
    ///
    /// Drops a tick for which there is no demand. To keep it, put `buffer` after it.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `timer(queue:interval:leeway:times:)`.
    ///
    /// - Parameters:
    ///   - queue: Where values are delivered; a global queue by default.
    ///   - interval: The time from the first demand to the first tick, and between ticks. A negative interval traps.
    ///   - leeway: How much later a tick may be, so that the system can combine timers. A negative leeway traps.
    ///   - times: The number of values after which the stream finishes.
    @_disfavoredOverload
    public static func timer(
        queue: DispatchQueue? = nil, interval: Duration, leeway: Duration = .zero,
        times: Subscribers.Demand = .unlimited
    ) -> Publishers.DispatchTimer {
        timer(
            queue: queue, interval: .nanoseconds(interval.nanoseconds), leeway: .nanoseconds(leeway.nanoseconds),
            times: times)
    }
}
