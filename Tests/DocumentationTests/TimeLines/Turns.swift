import HeadgateCore
import HeadgateTesting

/// A scheduler whose next turn comes a column later, as time-lines draw it: that of a `TestScheduler` takes no time.
struct LaterColumn: Scheduler {
    private let scheduler: TestScheduler

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    var now: TestTime { scheduler.now }

    var minimumTolerance: TestTime.Stride { scheduler.minimumTolerance }

    func schedule(options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void) {
        scheduler.schedule(after: now.advanced(by: .seconds(1)), action)
    }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: TestScheduler.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        scheduler.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride,
        options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        scheduler.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
}

/// An actor whose turns come when the clock of a test says, some columns after they are needed.
actor ColumnActor {
    private final class Executor: SerialExecutor {
        let scheduler: TestScheduler
        let delay: Int

        init(_ scheduler: TestScheduler, delay: Int) {
            self.scheduler = scheduler
            self.delay = delay
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            scheduler.schedule(after: scheduler.now.advanced(by: .seconds(delay))) {
                job.runSynchronously(on: self.asUnownedSerialExecutor())
            }
        }
    }

    private nonisolated let executor: Executor

    init(on scheduler: TestScheduler, delay: Int) { executor = Executor(scheduler, delay: delay) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
