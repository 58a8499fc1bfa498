import Dispatch
import HeadgateEngine

/// A scheduler whose time is that of a clock.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// func reminders(clock: any Clock<Duration>) -> some Publisher<String, Never> {
///     Just("tea").delay(for: .seconds(180), scheduler: ClockScheduler(clock))
/// }
/// let time = TestScheduler()
/// let cancellable = reminders(clock: TestClock(time)).sink { print($0, "after", time.now) }
/// time.advance(by: .seconds(180))
/// // tea after 180s
/// ```
///
/// On a `ContinuousClock`, it uses the timers of dispatch queues; on a clock that is made of a scheduler, such as a
/// `TestClock`, those of the scheduler. On any other clock, a task sleeps for each piece of work. Work runs on a global
/// queue, in such a task, or on the scheduler.
///
/// The operators that take a clock use it: `debounce(for: .seconds(1), clock: clock)`.
public struct ClockScheduler: Scheduler, Sendable {
    /// There is nothing to choose.
    public typealias SchedulerOptions = Never

    /// A time on a clock, in nanoseconds since a time that differs between schedulers.
    public struct SchedulerTimeType: Strideable, Hashable, Sendable {
        let nanoseconds: Int

        init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

        /// The length of time from this time to another, negative if the other is earlier.
        public func distance(to other: Self) -> Stride { .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) }

        /// The time after a length of time.
        public func advanced(by length: Stride) -> Self {
            Self(nanoseconds: (.nanoseconds(nanoseconds) + length as Stride).magnitude)
        }

        /// A length of time in nanoseconds.
        public typealias Stride = DispatchQueue.SchedulerTimeType.Stride
    }

    /// The scheduler with the time of `ContinuousClock`.
    public static let continuous = ClockScheduler(timer: QueueTimer())

    private let timer: any ClockTimer

    private init(timer: any ClockTimer) { self.timer = timer }

    /// Creates a scheduler with the time of a clock.
    public init(_ clock: any Clock<Duration>) {
        func own<Timed: AlarmClock>(_ clock: Timed) -> any ClockTimer { AlarmTimer(clock: clock, start: clock.now) }
        func foreign<Timed: Clock<Duration>>(_ clock: Timed) -> any ClockTimer {
            SleepTimer(clock: clock, start: clock.now)
        }
        if clock is ContinuousClock {
            self = .continuous
        } else if let clock = clock as? any AlarmClock {
            self.init(timer: own(clock))
        } else {
            self.init(timer: foreign(clock))
        }
    }

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(nanoseconds: timer.now) }

    /// Zero.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure as soon as possible.
    @preconcurrency public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        timer.run(action)
    }

    /// Runs a closure at a given time.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        _ = timer.setAlarm(at: date.nanoseconds, tolerance: tolerance, action)
    }

    /// Runs a closure at a given time and again after every interval, until the returned value is cancelled or
    /// released.
    ///
    /// - Parameters:
    ///   - date: When the closure is called for the first time.
    ///   - interval: The time from one call to the next: more than zero; traps otherwise.
    ///   - tolerance: How much later a call may be.
    ///   - options: None exist.
    ///   - action: The closure.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        require(
            interval > 0, rule: "The interval of repeated work must be greater than zero.", found: "\(interval)",
            remedy: "Pass the time from one run to the next.")
        let repetition = Repetition(timer, interval: interval, tolerance: tolerance, action)
        repetition.setAlarm(at: date)
        return AnyCancellable { repetition.cancel() }
    }
}

extension ClockScheduler: AlarmScheduler {
    @usableFromInline package func setAlarm(
        at date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ work: @escaping () -> Void
    ) -> any Alarm {
        timer.setAlarm(at: date.nanoseconds, tolerance: tolerance, work)
    }
}

/// Work for another thread.
// The caller that schedules it answers for what it touches.
private struct TimedWork: @unchecked Sendable {
    let run: () -> Void
}

/// Work that runs again after every interval.
private final class Repetition: Sendable {
    private let timer: any ClockTimer
    private let interval: ClockScheduler.SchedulerTimeType.Stride
    private let tolerance: ClockScheduler.SchedulerTimeType.Stride
    private let state: Guarded<(alarm: (any Alarm)?, work: TimedWork?)>

    init(
        _ timer: any ClockTimer, interval: ClockScheduler.SchedulerTimeType.Stride,
        tolerance: ClockScheduler.SchedulerTimeType.Stride, _ work: @escaping () -> Void
    ) {
        self.timer = timer
        self.interval = interval
        self.tolerance = tolerance
        state = Guarded((nil, TimedWork(run: work)))
    }

    func setAlarm(at date: ClockScheduler.SchedulerTimeType) {
        let alarm = timer.setAlarm(at: date.nanoseconds, tolerance: tolerance) { self.run(at: date) }
        let isOver = state.withLock { state in
            state.alarm = alarm
            return state.work == nil
        }
        if isOver { cancel() }
    }

    private func run(at date: ClockScheduler.SchedulerTimeType) {
        guard let work = state.withLock({ $0.work }) else { return }
        work.run()
        if state.withLock({ $0.work != nil }) { setAlarm(at: date.advanced(by: interval)) }
    }

    func cancel() {
        // Released outside the lock.
        let (alarm, _) = state.withLock { exchange(&$0, with: (nil, nil)) }
        alarm?.cancel()
    }
}

/// The time of a clock in nanoseconds, and work that runs at a time.
private protocol ClockTimer: Sendable {
    var now: Int { get }

    func run(_ work: @escaping () -> Void)

    func setAlarm(
        at nanoseconds: Int, tolerance: ClockScheduler.SchedulerTimeType.Stride, _ work: @escaping () -> Void
    ) -> any Alarm
}

/// The clock of dispatch queues, which measures the time that a `ContinuousClock` does.
private struct QueueTimer: ClockTimer {
    private var queue: DispatchQueue { .global() }

    var now: Int { Int(clamping: DispatchTime.now().uptimeNanoseconds) }

    func run(_ work: @escaping () -> Void) { queue.schedule(serially(work)) }

    func setAlarm(
        at nanoseconds: Int, tolerance: ClockScheduler.SchedulerTimeType.Stride, _ work: @escaping () -> Void
    ) -> any Alarm {
        let date = DispatchTime(uptimeNanoseconds: UInt64(max(0, nanoseconds)))
        return queue.alarm(
            at: DispatchQueue.SchedulerTimeType(date), tolerance: tolerance, options: nil, work)
    }
}

/// A clock with timers of its own.
private struct AlarmTimer<Timed: AlarmClock>: ClockTimer {
    let clock: Timed
    let start: Timed.Instant

    var now: Int { start.duration(to: clock.now).nanoseconds }

    func run(_ work: @escaping () -> Void) { clock.run(work) }

    func setAlarm(
        at nanoseconds: Int, tolerance: ClockScheduler.SchedulerTimeType.Stride, _ work: @escaping () -> Void
    ) -> any Alarm {
        clock.setAlarm(at: start.advanced(by: .nanoseconds(nanoseconds)), work)
    }
}

/// Any clock, on which a task sleeps for each piece of work.
private struct SleepTimer<Timed: Clock<Duration>>: ClockTimer {
    let clock: Timed
    let start: Timed.Instant

    var now: Int { start.duration(to: clock.now).nanoseconds }

    func run(_ work: @escaping () -> Void) { DispatchQueue.global().schedule(serially(work)) }

    func setAlarm(
        at nanoseconds: Int, tolerance: ClockScheduler.SchedulerTimeType.Stride, _ work: @escaping () -> Void
    ) -> any Alarm {
        let work = ForgetfulAlarm(work)
        let date = start.advanced(by: .nanoseconds(nanoseconds))
        let tolerance: Duration? = tolerance > 0 ? .nanoseconds(tolerance.magnitude) : nil
        let task = Task { [clock] in
            if (try? await clock.sleep(until: date, tolerance: tolerance)) != nil { work.run() }
        }
        return SleepAlarm(work, task)
    }
}

/// Work that a task does after it has slept.
private final class SleepAlarm: Alarm {
    private let work: ForgetfulAlarm
    private let task: Task<Void, Never>

    init(_ work: ForgetfulAlarm, _ task: Task<Void, Never>) {
        self.work = work
        self.task = task
    }

    var isOver: Bool { work.isOver }

    // Not from inside the work, which would find itself in a cancelled task.
    func cancel() { if work.forget() { task.cancel() } }
}

extension Duration {
    /// This duration in whole nanoseconds, at most a century.
    @usableFromInline package var nanoseconds: Int { DispatchQueue.SchedulerTimeType.Stride(self).magnitude }
}
