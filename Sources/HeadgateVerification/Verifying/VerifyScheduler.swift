import HeadgateCore
import HeadgateTesting

/// Verifies a scheduler, and reports the result rule by rule.
///
/// Work is scheduled for now, for later and for the past, and repeated; repeated work is cancelled before its first
/// run, in one of its runs, by other work and from outside; time passes unit by unit and in jumps; and a tolerance is
/// given. Work may be late: what is missing is waited for, for up to a hundred units more.
///
/// In the time-lines of broken rules, two columns stand for a unit of time and a value for a piece of work, numbered in
/// the order of scheduling.
///
/// ```swift
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(scheduler: { TestScheduler() }, advance: { $0.advance(by: $1) }).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - scheduler: Creates the scheduler.
///   - unit: The verifier's unit of time; for a scheduler on a real clock, some milliseconds.
///   - advance: Lets that much time pass: advances the clock, or waits.
public func verify<S: Scheduler>(
    scheduler: @escaping () -> S, unit: S.SchedulerTimeType.Stride = .milliseconds(10),
    advance: @escaping (S, S.SchedulerTimeType.Stride) -> Void
) -> Verification {
    var verification = Verification(subject: "scheduler")
    for probe in SchedulerFixture<S>.probes {
        verification.scriptCount += 1
        let fixture = SchedulerFixture(scheduler(), unit: unit, advance: advance)
        if let finding = probe(fixture) { verification.take(finding) }
        if let finding = fixture.checkClock() { verification.take(finding) }
    }
    verification.fill([.runsOnce, .workIsNeverEarly, .orderOfWork, .cancelledWorkStops, .clockGoesForward], .held)
    return verification
}
