import HeadgateCore

/// A scheduler that reports whoever touches it: hand it to an operator that is not to schedule anything.
///
/// ```swift
/// let scheduler = UntouchableScheduler { XCTFail($0) }
/// ```
public struct UntouchableScheduler: Scheduler {
    /// A moment, as on a test's clock; there is only zero.
    public typealias SchedulerTimeType = TestTime

    /// There is nothing to choose.
    public typealias SchedulerOptions = Never

    private let fail: (String) -> Void

    /// Makes a scheduler.
    ///
    /// - Parameter fail: Told in words what was done to the scheduler.
    public init(fail: @escaping (String) -> Void) { self.fail = fail }

    /// Zero; asking is reported.
    public var now: TestTime {
        fail("the scheduler was asked for the time")
        return .zero
    }

    /// Zero.
    public var minimumTolerance: TestTime.Stride { .zero }

    /// Reports that work was handed over, and drops it.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        fail("work was scheduled")
    }

    /// Reports that work was handed over, and drops it.
    public func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void
    ) { fail("work was scheduled for \(date)") }

    /// Reports that work was handed over, and drops it.
    public func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        fail("work was scheduled for \(date) and every \(interval)")
        return Subscriptions.empty
    }
}
