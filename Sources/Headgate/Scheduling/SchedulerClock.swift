import HeadgateEngine

/// A clock whose time is that of a scheduler.
///
/// ```swift
/// import Dispatch
/// import Headgate
///
/// let clock = SchedulerClock(DispatchQueue.global())
/// let start = clock.now
/// try await clock.sleep(for: .milliseconds(10))
/// print(start.duration(to: clock.now) >= .milliseconds(10))
/// // true
/// ```
///
/// For a `TestScheduler`, there is also `TestClock`. A task that is cancelled while it sleeps wakes immediately with a
/// `CancellationError`.
public struct SchedulerClock<Context: Scheduler & Sendable>: Clock where Context.SchedulerTimeType: Sendable {
    /// A time, as the duration since the clock was created.
    public struct Instant: InstantProtocol {
        let sinceStart: Duration

        /// Returns whether the left time is earlier.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.sinceStart < rhs.sinceStart }

        /// The time after a duration.
        public func advanced(by duration: Duration) -> Self { Self(sinceStart: sinceStart + duration) }

        /// The duration from this time to another.
        public func duration(to other: Self) -> Duration { other.sinceStart - sinceStart }
    }

    private let scheduler: Context

    private let start: Context.SchedulerTimeType

    /// Creates a clock with the time of a scheduler.
    public init(_ scheduler: Context) {
        self.scheduler = scheduler
        start = scheduler.now
    }

    /// The current time of the scheduler.
    public var now: Instant {
        Instant(sinceStart: .nanoseconds(start.distance(to: scheduler.now).nanosecondCount))
    }

    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the scheduler's clock reaches a time.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        if deadline <= now { return try Task.checkCancellation() }
        try await scheduler.sleep(
            until: date(of: deadline), tolerance: tolerance.map { .init($0) } ?? scheduler.minimumTolerance)
    }

    private func date(of instant: Instant) -> Context.SchedulerTimeType {
        start.advanced(by: .init(instant.sinceStart))
    }
}

extension SchedulerClock: AlarmClock {
    @usableFromInline package func run(_ work: @escaping () -> Void) { scheduler.schedule(serially(work)) }

    @usableFromInline package func setAlarm(at date: Instant, _ work: @escaping () -> Void) -> any Alarm {
        scheduler.alarm(
            at: self.date(of: date), tolerance: scheduler.minimumTolerance, options: nil, work)
    }
}
