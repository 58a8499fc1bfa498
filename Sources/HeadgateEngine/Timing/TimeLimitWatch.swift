import HeadgateCore

/// One of the limits that a stream may exceed.
@usableFromInline package enum TimeLimit {
    case first
    case between
    case total
}

/// How long a stream may take, and how it fails if it takes longer.
@usableFromInline package struct TimeLimitPlan<Failure: Error, Context: Scheduler> {
    @usableFromInline package let first: Context.SchedulerTimeType.Stride?

    @usableFromInline package let between: Context.SchedulerTimeType.Stride?

    @usableFromInline package let total: Context.SchedulerTimeType.Stride?

    @usableFromInline package let scheduler: Context

    @usableFromInline package let options: Context.SchedulerOptions?

    @usableFromInline package let failure: (TimeLimit) -> Failure

    @inlinable package init(
        first: Context.SchedulerTimeType.Stride?, between: Context.SchedulerTimeType.Stride?,
        total: Context.SchedulerTimeType.Stride?, scheduler: Context, options: Context.SchedulerOptions?,
        failure: @escaping (TimeLimit) -> Failure
    ) {
        self.first = first
        self.between = between
        self.total = total
        self.scheduler = scheduler
        self.options = options
        self.failure = failure
    }
}

/// Ends a stream that exceeds a time limit.
///
/// A scheduled job checks whether it does, or when to check next. It retains neither this object nor the conduit: it
/// may be far in the future, and the stream may end soon.
@usableFromInline
package final class TimeLimitWatch<Value, Failure: Error, Context: Scheduler>: Subscription, StreamObserver {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    /// The current deadlines, as far as they are known.
    @usableFromInline package struct Deadlines {
        @usableFromInline package var first: Time?

        @usableFromInline package var between: Time?

        @usableFromInline package var total: Time?

        @inlinable package init() {}

        /// Returns the limit that has been exceeded at a moment.
        func passed(at moment: Time) -> TimeLimit? {
            if let total, total <= moment { return .total }
            if let first, first <= moment { return .first }
            if let between, between <= moment { return .between }
            return nil
        }

        var next: Time? { [first, between, total].compactMap { $0 }.min() }
    }

    @usableFromInline package let limits: TimeLimitPlan<Failure, Context>

    @usableFromInline package weak var conduit: UntilConduit<Value, Failure>?

    @usableFromInline package let deadlines = Guarded(Deadlines())

    /// Alarms to cancel with the stream.
    @usableFromInline package let alarms = Guarded<[any Alarm]>([])

    // Used only in upstream's deliveries, which are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var hasBegun = false

    @exclusivity(unchecked) @usableFromInline package var hasSeenValue = false

    @usableFromInline package init(
        _ limits: TimeLimitPlan<Failure, Context>, _ conduit: UntilConduit<Value, Failure>
    ) {
        self.limits = limits
        self.conduit = conduit
    }

    @usableFromInline package func request(_ demand: Subscribers.Demand) {}

    // A scheduled job checks whether upstream's slot is closed instead.
    @usableFromInline package func cancel() {}

    /// Starts the time limits.
    @usableFromInline package func subscribed() {
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
    @inlinable package func received(_ value: Value) {
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

    @usableFromInline package func schedule(_ date: Time?) {
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
        if let limit = deadlines.passed(at: max(date, limits.scheduler.now)) {
            conduit.perform(.otherFailure(limits.failure(limit)))
        } else if date != deadlines.total {
            schedule(deadlines.next)
        }
    }
}
