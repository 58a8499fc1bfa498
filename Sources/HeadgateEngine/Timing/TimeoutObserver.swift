import HeadgateCore

/// Completes the stream of a conduit if no value arrives for too long.
@usableFromInline package struct TimeoutObserver<Value, Failure: Error, Context: Scheduler>: StreamObserver {
    @usableFromInline
    package typealias Conduit = ScheduledConduit<EventQueue<Value, Failure, Context.SchedulerTimeType>, Context>

    @usableFromInline package let conduit: Conduit

    @usableFromInline package let interval: Context.SchedulerTimeType.Stride

    @usableFromInline package let watch: TimeoutWatch<Value, Failure, Context>

    @inlinable package init(
        _ conduit: Conduit, interval: Context.SchedulerTimeType.Stride, customError: (() -> Failure)?
    ) {
        self.conduit = conduit
        self.interval = interval.bounded
        watch = TimeoutWatch(conduit, customError: customError)
        // The watch lives as long as the stream, because some publishers release a subscriber without completing it.
        conduit.state.withLock { $0.keptAlive = watch }
    }

    @inlinable package func subscribed() { restart() }

    @inlinable package func started() {
        if let deadline = watch.deadline.withLock({ $0 }) { watch.schedule(at: deadline) }
    }

    @inlinable package func received(_ value: Value) { restart() }

    @inlinable package func restart() {
        let deadline = conduit.scheduler.now.advanced(by: interval)
        watch.deadline.withLock { $0 = deadline }
    }
}

/// Completes the stream when the deadline has passed.
///
/// One alarm at a time checks whether it has, or has moved. An alarm retains neither this nor the conduit: it may be
/// set for a long time, and the stream may end soon.
@usableFromInline package final class TimeoutWatch<Value, Failure: Error, Context: Scheduler> {
    @usableFromInline package weak var conduit: TimeoutObserver<Value, Failure, Context>.Conduit?

    @usableFromInline package let customError: (() -> Failure)?

    @usableFromInline package let deadline = Guarded<Context.SchedulerTimeType?>(nil)

    @usableFromInline package let alarm = Guarded<(any Alarm)?>(nil)

    @inlinable package init(
        _ conduit: TimeoutObserver<Value, Failure, Context>.Conduit, customError: (() -> Failure)?
    ) {
        self.conduit = conduit
        self.customError = customError
    }

    deinit {
        let alarm = alarm.withLock { $0 }
        alarm?.cancel()
    }

    @usableFromInline package func schedule(at date: Context.SchedulerTimeType) {
        guard let conduit, !conduit.upstream.isClosed else { return }
        let alarm = conduit.scheduler.alarm(at: date, tolerance: conduit.tolerance, options: conduit.options) {
            [weak self] in self?.look(date)
        }
        // It may have gone before it came here, and the next may have been set.
        _ = self.alarm.withLock { last in alarm.isOver ? nil : exchange(&last, with: alarm) }
    }

    @inlinable package func look(_ date: Context.SchedulerTimeType) {
        guard let conduit, let deadline = deadline.withLock({ $0 }) else { return }
        if deadline > date, deadline > conduit.scheduler.now {
            schedule(at: deadline)
        } else {
            conduit.endEarly(customError.map { .failure($0()) } ?? .finished)
        }
    }
}
