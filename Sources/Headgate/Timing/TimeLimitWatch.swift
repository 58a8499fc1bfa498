import HeadgateCore
import HeadgateEngine

/// Forwards everything, and reports each event to a watch.
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

/// Ends a stream that exceeds a time limit.
///
/// A scheduled job checks whether it does, or when to check next. It retains neither this object nor the conduit: it
/// may be far in the future, and the stream may end soon.
@usableFromInline final class TimeLimitWatch<Upstream: Publisher, Context: Scheduler>: Subscription {
    @usableFromInline typealias Time = Context.SchedulerTimeType

    /// The current deadlines, as far as they are known.
    @usableFromInline struct Deadlines {
        @usableFromInline var first: Time?

        @usableFromInline var between: Time?

        @usableFromInline var total: Time?

        @inlinable init() {}

        /// Returns the limit that has been exceeded at a moment.
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

    /// Alarms to cancel with the stream.
    @usableFromInline let alarms = Guarded<[any Alarm]>([])

    // Used only in upstream's deliveries, which are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline var hasBegun = false

    @exclusivity(unchecked) @usableFromInline var hasSeenValue = false

    @usableFromInline init(
        _ limits: Publishers.TimeLimits<Upstream, Context>, _ conduit: UntilConduit<Upstream.Output, Upstream.Failure>
    ) {
        self.limits = limits
        self.conduit = conduit
    }

    @usableFromInline func request(_ demand: Subscribers.Demand) {}

    // A scheduled job checks whether upstream's slot is closed instead.
    @usableFromInline func cancel() {}

    /// Starts the time limits.
    @usableFromInline func begin() {
        if exchange(&hasBegun, with: true) { return }
        let now = limits.scheduler.now
        let first = limits.first.map { now.advanced(by: $0.bounded) }
        let total = limits.total.map { now.advanced(by: $0.bounded) }
        deadlines.withLock {
            $0.first = first
            $0.total = total
        }
        schedule([first, total].compactMap { $0 }.min())
    }

    /// Sets the deadline of the next value.
    @inlinable func noteValue() {
        if let between = limits.between {
            let deadline = limits.scheduler.now.advanced(by: between.bounded)
            deadlines.withLock {
                $0.first = nil
                $0.between = deadline
            }
            // From here on, a job is always scheduled for this deadline or an earlier one.
            if !hasSeenValue { schedule(deadline) }
        } else if !hasSeenValue {
            deadlines.withLock { $0.first = nil }
        }
        hasSeenValue = true
    }

    @usableFromInline func schedule(_ date: Time?) {
        guard let date, let conduit, !conduit.upstream.isClosed else { return }
        let alarm = limits.scheduler.alarm(
            at: date, tolerance: limits.scheduler.minimumTolerance, options: limits.options
        ) { [weak self] in self?.check(date) }
        // Those that have fired are released here, outside the lock.
        _ = alarms.withLock { alarms in exchange(&alarms, with: alarms.filter { !$0.isOver } + [alarm]) }
    }

    deinit {
        for alarm in alarms.withLock({ $0 }) { alarm.cancel() }
    }

    /// Ends the stream, or waits for the next deadline.
    ///
    /// - Parameter date: The moment for which the job was scheduled. It counts as reached even if the clock shows
    ///   otherwise: some schedulers don't wait.
    private func check(_ date: Time) {
        guard let conduit, !conduit.upstream.isClosed else { return }
        let deadlines = deadlines.withLock { $0 }
        if let timeout = deadlines.passed(at: max(date, limits.scheduler.now)) {
            conduit.perform(.otherFailure(limits.failure(timeout)))
        } else if date != deadlines.total {
            schedule(deadlines.next)
        }
    }
}
