import HeadgateCore
import HeadgateEngine

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

    /// What is to be called off with the stream.
    @usableFromInline let alarms = Guarded<[any Alarm]>([])

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
            // From here on, an alarm is always set for this deadline or for one before it.
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
        ) { [weak self] in self?.look(date) }
        // Those that have gone are let go of here, outside the lock.
        _ = alarms.withLock { alarms in exchange(&alarms, with: alarms.filter { !$0.isOver } + [alarm]) }
    }

    deinit {
        for alarm in alarms.withLock({ $0 }) { alarm.callOff() }
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
