import HeadgateCore
import HeadgateEngine

/// A clock for code that sleeps, driven by a test scheduler.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let clock = TestClock(scheduler)
/// let task = Task {
///     try await clock.sleep(for: .seconds(3))
///     return clock.now
/// }
/// while scheduler.unfinished.isEmpty { await Task.yield() }     // until the task sleeps
/// scheduler.advance(by: .seconds(3))
/// print(try await task.value)
/// // 3s
/// ```
///
/// A task that is cancelled while it sleeps wakes immediately with a `CancellationError`, and leaves no work scheduled.
public struct TestClock: Clock {
    private let scheduler: TestScheduler

    /// Creates a clock that shows the time of a scheduler.
    public init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// The current time of the scheduler.
    public var now: TestTime { scheduler.now }

    /// Zero: the clock distinguishes any two times.
    public var minimumResolution: Swift.Duration { .zero }

    /// Sleeps until the test advances the scheduler to a time.
    public func sleep(until deadline: TestTime, tolerance: Swift.Duration? = nil) async throws {
        if deadline <= now { return try Task.checkCancellation() }
        try await scheduler.sleep(until: deadline, tolerance: .zero)
    }
}

extension TestClock: AlarmClock {
    @usableFromInline package func run(_ work: @escaping () -> Void) { scheduler.schedule(serially(work)) }

    @usableFromInline package func setAlarm(at date: TestTime, _ work: @escaping () -> Void) -> any Alarm {
        scheduler.setAlarm(at: date, tolerance: .zero, options: nil, work)
    }
}
