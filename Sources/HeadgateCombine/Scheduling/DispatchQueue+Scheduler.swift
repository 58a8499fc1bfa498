import Dispatch
import HeadgateCore
import HeadgateEngine

/// A queue runs closures on its threads. On a serial queue they run one after the other in the order in which they were
/// scheduled; the clock is the one that does not jump when the time of day is set.
///
/// ```swift
/// let queue = DispatchQueue(label: "log")
/// queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { print("later") }
/// queue.schedule { print("soon") }
/// // soon
/// // later
/// ```
extension DispatchQueue: Scheduler {
    // `flags` is a word of bits, whose type Dispatch has not declared Sendable.
    /// What can be chosen for one closure.
    public struct SchedulerOptions: @unchecked Sendable {
        /// How urgent the closure is.
        public var qos: DispatchQoS

        /// How the closure runs, for instance as a barrier.
        public var flags: DispatchWorkItemFlags

        /// The group that the closure belongs to until it has run.
        ///
        /// Closures that are repeated belong to none.
        public var group: DispatchGroup?

        /// Makes options.
        public init(
            qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil
        ) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    /// The present moment.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    /// Nothing: the queue is as exact as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure as soon as the queue comes to it.
    public func schedule(options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>) {
        // It is for the caller to know what may run on a queue's thread.
        #if !StrictClosures
            nonisolated(unsafe) let action = action
        #endif
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags) { action() }
    }

    /// Runs a closure at a moment.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping StreamClosure<Void>
    ) {
        setAlarm(at: date, options: options, action)
    }

    /// Runs a closure at a moment and again after every interval, until the answer is cancelled or let go of.
    ///
    /// The closure is let go of at that moment.
    ///
    /// - Parameter interval: Zero or more; a negative one is a programmer's error and traps.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable {
        if interval < 0 {
            programmerError(
                rule: "The interval of repeated work can't be negative.", found: "\(interval)",
                remedy: "Give the time from one run to the next.")
        }
        let options = options ?? SchedulerOptions()
        // A source may be cancelled from any thread, though Dispatch has not declared it Sendable.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: self)
        timer.schedule(
            deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: max(0, tolerance).timeInterval)
        let work = ClearableAction(action)
        timer.setEventHandler(qos: options.qos, flags: options.flags) { work.run() }
        timer.activate()
        return AnyCancellable {
            timer.cancel()
            work.clear()
        }
    }
}

/// A closure that one thread may take away while another runs it.
///
/// A cancelled timer source keeps its handler until its queue gets round to letting go of it, which may be never.
// The closure is reached through the lock alone. What it touches is for whoever scheduled it to know.
package final class ClearableAction: @unchecked Sendable {
    private struct Action: @unchecked Sendable {
        let run: () -> Void
    }

    private let action: Guarded<Action?>

    package init(_ action: @escaping () -> Void) {
        self.action = Guarded(Action(run: action))
    }

    /// Runs the closure, if it is still there.
    package func run() {
        let action = action.withLock { $0 }
        action?.run()
    }

    /// Lets go of the closure; when it is running, that is when it returns.
    package func clear() {
        _ = action.withLock { $0.take() }
    }
}

extension DispatchQueue: AlarmScheduler {
    @discardableResult package func setAlarm(
        at date: SchedulerTimeType, options: SchedulerOptions?, _ work: @escaping () -> Void
    ) -> any Alarm {
        QueueAlarm(on: self, at: date.dispatchTime, options: options, work)
    }
}
