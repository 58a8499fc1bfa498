import HeadgateCombine
import HeadgateEngine
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
    var verification = Verification(subject: "scheduler", verdicts: [:], scriptCount: 0)
    let probes: [(SchedulerFixture<S>) -> Finding?] = [
        probeOnce,
        probeMoment,
        probeOrder,
        probeWorkFromInside,
        probeRepeat,
        { $0.probeCancelInside(run: 1, jumps: false) },
        { $0.probeCancelInside(run: 2, jumps: false) },
        { $0.probeCancelInside(run: 2, jumps: true) },
        probeEarlyCancel,
        probeCancelByOthers,
        { $0.probeCancelByRepeatedWork(jumps: false) },
        { $0.probeCancelByRepeatedWork(jumps: true) },
        probeJump,
        { $0.probeRepeatedJump() },
        { $0.probeTolerance() },
        { $0.probeRepeatedTolerance() },
    ]
    for probe in probes {
        verification.scriptCount += 1
        let fixture = SchedulerFixture(scheduler(), unit: unit, advance: advance)
        if let finding = probe(fixture) { verification.take(finding) }
        if let finding = fixture.checkClock() { verification.take(finding) }
    }
    verification.fill([.runsOnce, .workIsNeverEarly, .orderOfWork, .cancelledWorkStops, .clockGoesForward], .held)
    return verification
}

private func probeOnce<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    fixture.scheduler.schedule(serially(fixture.piece(1)))
    fixture.scheduler.schedule(after: fixture.moment(1), serially(fixture.piece(2)))
    fixture.scheduler.schedule(after: fixture.moment(-1), serially(fixture.piece(3)))
    fixture.pass(4)
    return fixture.checkCompleteness(1...3, script: "schedule 1 now, 2 after one unit, 3 for a time in the past")
}

private func probeMoment<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let script = "schedule 1 after one unit, 2 after two, 3 after three"
    for units in 1...3 { fixture.scheduler.schedule(after: fixture.moment(units), serially(fixture.piece(units))) }
    for _ in 0..<6 {
        // Work that runs while the clock is still before its time, whatever the clock showed inside the work.
        for run in fixture.runs where fixture.scheduler.now < fixture.moment(run.piece) {
            return fixture.broken(.workIsNeverEarly, "\(run.piece) ran before its time", script: script)
        }
        fixture.pass(1)
    }
    for run in fixture.runs where run.moment < fixture.moment(run.piece) {
        return fixture.broken(
            .clockGoesForward, "the clock shows \(run.moment) when work for \(fixture.moment(run.piece)) runs",
            script: script)
    }
    return fixture.checkCompleteness(1...3, script: script)
}

private func probeOrder<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let script = "schedule 1 to 4 now, 5 to 8 after one unit"
    for number in 1...4 { fixture.scheduler.schedule(serially(fixture.piece(number))) }
    for number in 5...8 { fixture.scheduler.schedule(after: fixture.moment(1), serially(fixture.piece(number))) }
    fixture.pass(4)
    return fixture.checkOrder(Array(1...8), script: script)
}

private func probeWorkFromInside<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let script = "schedule 1, which schedules 2 now and 3 after one unit"
    let work = fixture.piece(1) {
        fixture.scheduler.schedule(serially(fixture.piece(2)))
        fixture.scheduler.schedule(after: fixture.scheduler.now.advanced(by: fixture.unit), serially(fixture.piece(3)))
    }
    fixture.scheduler.schedule(serially(work))
    fixture.pass(5)
    if fixture.hasOverlap {
        return fixture.broken(.orderOfWork, "a piece started while another was running", script: script)
    }
    return fixture.checkCompleteness(1...3, script: script)
}

private func probeRepeat<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let script = "schedule 1 for every unit; cancel after some units"
    let token = fixture.scheduler.schedule(after: fixture.moment(1), interval: fixture.unit, serially(fixture.piece(1)))
    fixture.pass(3)
    fixture.waitUntil { fixture.runs.count > 1 }
    fixture.noteCancel()
    token.cancel()
    let runs = fixture.runs
    fixture.pass(4)
    let late = fixture.runs.dropFirst(runs.count)
    // A run that another thread has started may finish.
    let mayBeUnderWay = late.first.map { $0.thread != .current } ?? false
    if late.count > (mayBeUnderWay ? 1 : 0) {
        return fixture.broken(.cancelledWorkStops, "it ran \(late.count) times after cancel()", script: script)
    }
    if let finding = fixture.checkPace(script: script) { return finding }
    if runs.count > 1 { return nil }
    return fixture.broken(.runsOnce, "repeated work ran \(runs.count) times in three intervals", script: script)
}

private func probeEarlyCancel<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let token = fixture.scheduler.schedule(after: fixture.moment(2), interval: fixture.unit, serially(fixture.piece(1)))
    let hadRun = !fixture.runs.isEmpty
    fixture.noteCancel()
    token.cancel()
    fixture.pass(4)
    if hadRun || fixture.runs.isEmpty { return nil }
    return fixture.broken(
        .cancelledWorkStops, "it ran although it was cancelled before",
        script: "schedule 1 after two units and for every unit; cancel")
}

private func probeCancelByOthers<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let token = Guarded<(any Cancellable)?>(nil)
    let hasCancelled = Guarded(false)
    let work = fixture.piece(1) {
        guard let token = token.withLock({ $0 }) else { return }
        fixture.noteCancel()
        token.cancel()
        hasCancelled.withLock { $0 = true }
    }
    fixture.scheduler.schedule(after: fixture.moment(2), serially(work))
    let cancellable = fixture.scheduler.schedule(
        after: fixture.moment(2), interval: fixture.unit, serially(fixture.piece(2)))
    token.withLock { $0 = cancellable }
    fixture.pass(5)
    token.withLock { $0.take() }?.cancel()
    let order = fixture.runs.map(\.piece)
    guard hasCancelled.withLock({ $0 }), let cancelled = order.firstIndex(of: 1), order[cancelled...].contains(2)
    else { return nil }
    return fixture.broken(
        .cancelledWorkStops, "it ran although work of the same time had cancelled it",
        script: "schedule 1 after two units, which cancels 2; schedule 2 after two units and for every unit")
}

private func probeJump<S: Scheduler>(on fixture: SchedulerFixture<S>) -> Finding? {
    let script = "schedule 1 after three units, 2 after two, 3 after one; three units pass at once"
    for number in 1...3 {
        fixture.scheduler.schedule(after: fixture.moment(4 - number), serially(fixture.piece(number)))
    }
    fixture.jump(3)
    fixture.pass(2)
    return fixture.checkOrder([3, 2, 1], script: script)
}
