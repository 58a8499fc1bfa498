public import Foundation
import Synchronization

/// An operation queue runs closures as operations, as many at a time as it allows.
///
/// ```swift
/// import Foundation
/// import HeadgateFoundation
///
/// let queue = OperationQueue()
/// queue.schedule { print("soon") }
/// queue.waitUntilAllOperationsAreFinished()
/// // soon
/// ```
extension OperationQueue: Scheduler {
    /// The options of the scheduler; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current moment, on a clock that ignores changes of the machine's clock; see `RunLoop`.
    public var now: SchedulerTimeType { SchedulerTimeType(SteadyClock.shared.now) }

    /// Zero: the queue is as exact as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure as soon as the queue can.
    @preconcurrency public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        addOperation { action() }
    }

    /// Adds a closure to the queue at a moment; closures for the same moment in the order in which they were scheduled.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        OperationAlarm.shared.insert(date.date) { self.schedule(options: options, action) }
    }

    /// Adds a closure to the queue at a moment and after every interval, until the result is cancelled or released.
    ///
    /// The closure is released then. It never runs concurrently with itself: while one run is waiting or active, others
    /// are skipped.
    ///
    /// - Parameter interval: Zero or more; a negative interval traps.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        interval.checkAsInterval()
        let work = SingleRun(action)
        // In this order, a thread that is interrupted in between is late, not early.
        let seconds = SteadyClock.shared.time(until: date.date)
        let timer = DispatchQueue.global().schedule(
            after: .init(.now()).advanced(by: .seconds(seconds)), interval: .seconds(interval.timeInterval),
            tolerance: .seconds(tolerance.timeInterval)
        ) { [weak self] in
            if let self, work.begin() { self.addOperation { work.run() } }
        }
        return AnyCancellable(
            serially {
                timer.cancel()
                work.action.clear()
            })
    }

    private final class SingleRun: Sendable {
        let action: ClearableAction
        let isBusy = Atomic(false)

        init(_ action: @escaping () -> Void) { self.action = ClearableAction(action) }

        func begin() -> Bool { !isBusy.exchange(true, ordering: .acquiring) }

        func run() {
            action.run()
            isBusy.store(false, ordering: .releasing)
        }
    }
}
