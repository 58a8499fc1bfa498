import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again when it fails, according to a policy.
    ///
    /// ```
    /// self      1-x
    /// again           1-2-x
    /// again                       1-2-3-|
    ///           1-----1-2---------1-2-3-|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    /// import Synchronization
    ///
    /// struct Problem: Error {}
    /// let scheduler = TestScheduler()
    /// let attempts = Atomic(0)
    /// let policy = RetryPolicy.exponential(initial: .seconds(1), jitter: .none, retries: 3)
    /// let answer = Deferred {
    ///     let attempt = attempts.add(1, ordering: .relaxed).newValue
    ///     return attempt < 3 ? Result<Int, Problem>.Publisher(Problem()) : .init(7)
    /// }
    ///     .retry(policy, scheduler: scheduler)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0, "after", scheduler.now) })
    /// scheduler.runUntilIdle()
    /// // 7 after 3s
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that one attempt has not served is requested from the next.
    /// - **Completion**: finishes when an attempt finishes. Fails with the failure of the last attempt when the policy
    ///   allows no further one, or when `shouldRetry` returns `false`. If an operator downstream ends the stream, as a
    ///   kill switch does, a delay ends, too.
    /// - **Threads**: a value is delivered on the thread of the attempt that sends it. The closures are called on the
    ///   thread on which an attempt fails. An attempt after a delay is subscribed to on the scheduler, where one that
    ///   delivers at once then delivers; one without a delay where the previous attempt failed.
    /// - **Complexity**: constant time per value, without allocating or reading a clock; at most one job of the
    ///   scheduler per attempt. Attempts that fail synchronously do not grow the stack.
    ///
    /// - Parameters:
    ///   - policy: How often to retry, and after what delays.
    ///   - scheduler: The scheduler that measures time, and on which delays end.
    ///   - options: Options for every job of the scheduler.
    ///   - generator: The source of the jitter. Each subscription begins with a copy.
    ///   - shouldRetry: Whether to retry after a failure; by default, always.
    ///   - onRetry: Called with each retry, before its delay.
    @inlinable public func retry<Context: Scheduler>(
        _ policy: RetryPolicy, scheduler: Context, options: Context.SchedulerOptions? = nil,
        using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        where shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true },
        onRetry: @escaping @Sendable (RetryAttempt<Failure>) -> Void = { _ in }
    ) -> Publishers.RetryByPolicy<Self, Context, Failure> {
        Publishers.RetryByPolicy(
            upstream: self, policy: policy, scheduler: scheduler, options: options, generator: generator,
            shouldRetry: shouldRetry, onRetry: onRetry, exhausted: \.lastFailure)
    }

    /// Subscribes to this publisher again when it fails, according to a policy, and transforms the last failure.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// struct Problem: Error {}
    /// let scheduler = TestScheduler()
    /// let answer = Fail<Int, Problem>(error: Problem())
    ///     .retry(.constant(.seconds(1), retries: 2), scheduler: scheduler, exhausted: { $0 })
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// scheduler.runUntilIdle()
    /// // failure(failed after 3 attempts: Problem())
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// ``retry(_:scheduler:options:using:where:onRetry:)``.
    ///
    /// - Parameters:
    ///   - policy: How often to retry, and after what delays.
    ///   - scheduler: The scheduler that measures time, and on which delays end.
    ///   - options: Options for every job of the scheduler.
    ///   - generator: The source of the jitter. Each subscription begins with a copy.
    ///   - shouldRetry: Whether to retry after a failure; by default, always.
    ///   - onRetry: Called with each retry, before its delay.
    ///   - exhausted: Creates the failure of the stream; `{ $0 }` keeps the ``RetryExhausted``.
    @inlinable public func retry<Context: Scheduler, NewFailure: Error>(
        _ policy: RetryPolicy, scheduler: Context, options: Context.SchedulerOptions? = nil,
        using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        where shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true },
        onRetry: @escaping @Sendable (RetryAttempt<Failure>) -> Void = { _ in },
        exhausted: @escaping @Sendable (RetryExhausted<Failure>) -> NewFailure
    ) -> Publishers.RetryByPolicy<Self, Context, NewFailure> {
        Publishers.RetryByPolicy(
            upstream: self, policy: policy, scheduler: scheduler, options: options, generator: generator,
            shouldRetry: shouldRetry, onRetry: onRetry, exhausted: exhausted)
    }
}

extension Publishers {
    /// A publisher that subscribes to upstream again when it fails, according to a policy.
    public struct RetryByPolicy<Upstream: Publisher, Context: Scheduler, Failure: Error>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The upstream publisher.
        public let upstream: Upstream

        /// How often to retry, and after what delays.
        public let policy: RetryPolicy

        /// The scheduler that measures time, and on which delays end.
        public let scheduler: Context

        /// Options for every job of the scheduler.
        public let options: Context.SchedulerOptions?

        /// The source of the jitter.
        public let generator: any RandomNumberGenerator & Sendable

        /// Whether to retry after a failure.
        public let shouldRetry: @Sendable (Upstream.Failure) -> Bool

        /// Called with each retry, before its delay.
        public let onRetry: @Sendable (RetryAttempt<Upstream.Failure>) -> Void

        /// Creates the failure of the stream.
        public let exhausted: @Sendable (RetryExhausted<Upstream.Failure>) -> Failure

        /// Creates the publisher that `retry(_:scheduler:)` returns.
        public init(
            upstream: Upstream, policy: RetryPolicy, scheduler: Context, options: Context.SchedulerOptions?,
            generator: any RandomNumberGenerator & Sendable,
            shouldRetry: @escaping @Sendable (Upstream.Failure) -> Bool,
            onRetry: @escaping @Sendable (RetryAttempt<Upstream.Failure>) -> Void,
            exhausted: @escaping @Sendable (RetryExhausted<Upstream.Failure>) -> Failure
        ) {
            self.upstream = upstream
            self.policy = policy
            self.scheduler = scheduler
            self.options = options
            self.generator = generator
            self.shouldRetry = shouldRetry
            self.onRetry = onRetry
            self.exhausted = exhausted
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SuccessionConduit(name: "Retry", to: subscriber).proceed(to: RetryLoop(self).attempt)
        }
    }
}

extension Publishers.RetryByPolicy: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

/// The attempts of one subscription.
// Used by the upstream whose turn it is, and between two turns by the owner of the succession's drain: one at a time.
@usableFromInline final class RetryLoop<Upstream: Publisher, Context: Scheduler, Failure: Error> {
    @usableFromInline typealias Conduit = SuccessionConduit<Upstream.Output, Failure>

    @usableFromInline let plan: Publishers.RetryByPolicy<Upstream, Context, Failure>

    @usableFromInline var schedule: RetrySchedule

    @usableFromInline var generator: any RandomNumberGenerator & Sendable

    @usableFromInline var attempts = 0

    /// What was bound where the stream was subscribed to: the scheduler binds nothing.
    @usableFromInline let locals = TaskLocals()

    /// When the current attempt began, if the policy needs it.
    @usableFromInline var beginning: Context.SchedulerTimeType?

    /// When the first attempt since the last reset began, if the policy needs it.
    @usableFromInline var firstBeginning: Context.SchedulerTimeType?

    @inlinable init(_ plan: Publishers.RetryByPolicy<Upstream, Context, Failure>) {
        self.plan = plan
        schedule = RetrySchedule(plan.policy)
        generator = plan.generator
    }

    @inlinable func attempt(_ conduit: Conduit, _ turn: Int) {
        attempts += 1
        if plan.policy.timeToReset != nil { beginning = plan.scheduler.now }
        if plan.policy.timeToGiveUp != nil, firstBeginning == nil { firstBeginning = plan.scheduler.now }
        if attempts == 1 { subscribe(conduit, turn) } else { locals.perform { subscribe(conduit, turn) } }
    }

    @inlinable func subscribe(_ conduit: Conduit, _ turn: Int) {
        plan.upstream.receive(
            subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                guard case .failure(let failure) = completion else { return conduit.end(.finished) }
                self.retry(conduit, after: failure)
            })
    }

    @inlinable func retry(_ conduit: Conduit, after failure: Upstream.Failure) {
        if !plan.shouldRetry(failure) { return end(conduit, .refused, failure) }
        if shouldReset(conduit.served) {
            schedule.reset()
            firstBeginning = nil
        }
        guard let delay = schedule.next(using: &generator) else { return end(conduit, .retries, failure) }
        if isTooLate(after: delay) { return end(conduit, .time, failure) }
        plan.onRetry(RetryAttempt(number: schedule.retries, delay: delay, failure: failure))
        if delay == .zero { return conduit.proceed(to: attempt) }
        conduit.pause(
            until: plan.scheduler.now.advanced(by: .init(delay)), on: plan.scheduler, options: plan.options,
            then: attempt)
    }

    @inlinable func isTooLate(after delay: Duration) -> Bool {
        guard let limit = plan.policy.timeToGiveUp, let firstBeginning else { return false }
        return plan.scheduler.now.advanced(by: .init(delay)) > firstBeginning.advanced(by: .init(limit))
    }

    @inlinable func shouldReset(_ values: Int) -> Bool {
        if let goal = plan.policy.valuesToReset, values >= goal { return true }
        guard let goal = plan.policy.timeToReset, let beginning else { return false }
        return beginning.advanced(by: .init(goal)) <= plan.scheduler.now
    }

    @inlinable func end(
        _ conduit: Conduit, _ reason: RetryExhausted<Upstream.Failure>.Reason, _ failure: Upstream.Failure
    ) {
        conduit.end(
            .failure(plan.exhausted(RetryExhausted(reason: reason, attempts: attempts, lastFailure: failure))))
    }
}
