import Dispatch
import HeadgateEngine

/// A queue runs closures on its threads. A serial queue runs them one at a time, in the order in which they were
/// scheduled. The clock is monotonic: setting the time of day doesn't change it.
///
/// ```swift
/// import Dispatch
/// import HeadgateCombine
///
/// let queue = DispatchQueue(label: "log")
/// queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { print("later") }
/// queue.schedule { print("soon") }
/// // soon
/// // later
/// ```
extension DispatchQueue: Scheduler {
    // `flags` is a bit set, whose type Dispatch has not declared Sendable.
    /// The options for one closure.
    public struct SchedulerOptions: @unchecked Sendable {
        /// The quality of service of the closure.
        public var qos: DispatchQoS

        /// How the closure runs, for example as a barrier.
        public var flags: DispatchWorkItemFlags

        /// The group that the closure belongs to until it has run.
        ///
        /// Repeated closures belong to none.
        public var group: DispatchGroup?

        /// Creates options.
        public init(
            qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil
        ) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    /// Zero: a queue is as precise as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure as soon as the queue can.
    @preconcurrency public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags) { action() }
    }

    /// Runs a closure at a given time.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        setAlarm(at: date, tolerance: tolerance, options: options, action)
    }

    /// Runs a closure at a given time and again after every interval, until the returned value is cancelled or
    /// released.
    ///
    /// The closure is released then.
    ///
    /// - Parameter interval: Zero or more; a negative interval traps.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        require(
            interval >= 0, rule: "The interval of repeated work can't be negative.", found: "\(interval)",
            remedy: "Pass the time from one run to the next.")
        let alarm = setAlarm(at: date, repeating: interval, tolerance: tolerance, options: options, action)
        return AnyCancellable { alarm.cancel() }
    }
}

extension DispatchQueue: AlarmScheduler {
    @discardableResult @usableFromInline package func setAlarm(
        at date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = 0, options: SchedulerOptions?,
        _ work: @escaping () -> Void
    ) -> any Alarm {
        let alarm = QueueAlarm(
            on: self, tolerance: UInt64(max(0, tolerance.magnitude)), options: options, work)
        options?.group?.enter()
        AlarmThread.shared.add(alarm, at: alarm.rounded(date.dispatchTime.uptimeNanoseconds))
        return alarm
    }

    /// Runs work at a date and again after every interval until the alarm is cancelled.
    ///
    /// - Parameter tolerance: How much later the work may run, so that it runs together with other work.
    package func setAlarm(
        at date: SchedulerTimeType, repeating interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ work: @escaping () -> Void
    ) -> any Alarm {
        let date = date.dispatchTime.uptimeNanoseconds
        // A group waits for what ends by itself.
        var options = options
        options?.group = nil
        let alarm = RepeatingQueueAlarm(
            on: self, at: date, interval: UInt64(max(0, interval.magnitude)),
            tolerance: UInt64(max(0, tolerance.magnitude)), options: options, work)
        AlarmThread.shared.add(alarm, at: alarm.rounded(date))
        return alarm
    }
}
