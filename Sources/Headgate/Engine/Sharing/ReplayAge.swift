import HeadgateEngine

/// The ages of a log's values; only touched by the owner of the hub's drain, like the log.
@usableFromInline package protocol ReplayAge: AnyObject {
    /// Records that a value has been added to a log of the given capacity.
    func noteValue(of capacity: Int)

    /// Forgets the values that have expired since the last time.
    ///
    /// - Returns: The number of expired values.
    func takeExpired() -> Int

    /// Forgets everything.
    func clear()
}

/// The times at which the values of a log expire.
@usableFromInline package final class ReplayExpiry<Context: Scheduler>: ReplayAge {
    @usableFromInline let interval: Context.SchedulerTimeType.Stride

    @usableFromInline let scheduler: Context

    @usableFromInline var moments = Queue<Context.SchedulerTimeType>()

    @inlinable package init(_ interval: Context.SchedulerTimeType.Stride, on scheduler: Context) {
        self.interval = interval.bounded
        self.scheduler = scheduler
    }

    @inlinable package func noteValue(of capacity: Int) {
        if capacity == 0 { return }
        if moments.count == capacity { moments.removeFirst() }
        moments.append(scheduler.now.advanced(by: interval))
    }

    @inlinable package func takeExpired() -> Int {
        let now = scheduler.now
        let before = moments.count
        while let first = moments.first, first <= now { moments.removeFirst() }
        return before - moments.count
    }

    @inlinable package func clear() { moments = Queue() }
}
