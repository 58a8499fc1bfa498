import HeadgateCore

/// What a log of values knows of their age: belongs to the owner of the hub's drain, as the log does.
@usableFromInline package protocol ReplayAge: AnyObject {
    /// Hears that a value has been added to a log, which keeps so many at the most.
    func noteValue(of capacity: Int)

    /// Forgets the values that have become too old since the last time.
    ///
    /// - Returns: How many there are.
    func takeExpired() -> Int

    /// Forgets everything.
    func clear()
}

/// The moments at which the values of a log come to be too old.
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
