import HeadgateCore

/// A scheduler that reports every use: pass it to an operator that must not schedule anything.
///
/// ```swift
/// let scheduler = UntouchableScheduler { XCTFail($0) }
/// ```
public struct UntouchableScheduler: Scheduler {
    /// A time on a test's clock; always zero.
    public typealias SchedulerTimeType = TestTime

    /// There are no options.
    public typealias SchedulerOptions = Never

    private let fail: (String) -> Void

    /// Creates a scheduler.
    ///
    /// - Parameter fail: Called with a description of each use.
    public init(fail: @escaping (String) -> Void) { self.fail = fail }

    /// Zero; reading it is reported.
    public var now: TestTime {
        fail("the scheduler's time was read")
        return .zero
    }

    /// Zero.
    public var minimumTolerance: TestTime.Stride { .zero }

    /// Reports that work was scheduled, and drops it.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        fail("work was scheduled")
    }

    /// Reports that work was scheduled, and drops it.
    public func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void
    ) { fail("work was scheduled for \(date)") }

    /// Reports that work was scheduled, and drops it.
    public func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        fail("work was scheduled for \(date) and every \(interval)")
        return Subscriptions.empty
    }
}
