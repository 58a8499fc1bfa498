import Headgate
import HeadgateEngine
import HeadgateCore

/// Verifies a scheduler, and reports the result rule by rule.
///
/// In the time-lines of broken rules, two columns stand for a unit of time and a value for a piece of work, numbered in
/// the order of scheduling.
///
/// ```swift
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
    let probes: [(Workshop<S>) -> Finding?] = [
        probeOnce, probeMoment, probeOrder, probeWorkFromInside, probeRepeat, probeCancelInside, probeEarlyCancel,
    ]
    for probe in probes {
        verification.scriptCount += 1
        let workshop = Workshop(scheduler(), unit: unit, advance: advance)
        if let finding = probe(workshop) { verification.take(finding) }
        if let finding = workshop.judgeClock() { verification.take(finding) }
    }
    verification.fillIn(held: [.runsOnce, .notBeforeItsTime, .orderOfWork, .cancelledWorkRests, .clockGoesForward])
    return verification
}

private func probeOnce<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    shop.scheduler.schedule(serially(shop.piece(1)))
    shop.scheduler.schedule(after: shop.moment(1), serially(shop.piece(2)))
    shop.scheduler.schedule(after: shop.moment(-1), serially(shop.piece(3)))
    shop.pass(4)
    return shop.judgeCompleteness(1...3, script: "schedule 1 now, 2 after one unit, 3 for a time in the past")
}

private func probeMoment<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let script = "schedule 1 after one unit, 2 after two, 3 after three"
    for units in 1...3 { shop.scheduler.schedule(after: shop.moment(units), serially(shop.piece(units))) }
    for _ in 0..<6 {
        // Work that runs while the clock is still before its time, whatever the clock showed inside the work.
        for run in shop.runs where shop.scheduler.now < shop.moment(run.piece) {
            return shop.broken(.notBeforeItsTime, "\(run.piece) ran before its time", script: script)
        }
        shop.pass(1)
    }
    for run in shop.runs where run.moment < shop.moment(run.piece) {
        return shop.broken(
            .clockGoesForward, "the clock shows \(run.moment) when work for \(shop.moment(run.piece)) runs",
            script: script)
    }
    return shop.judgeCompleteness(1...3, script: script)
}

private func probeOrder<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let script = "schedule 1 to 4 now, 5 to 8 after one unit"
    for number in 1...4 { shop.scheduler.schedule(serially(shop.piece(number))) }
    for number in 5...8 { shop.scheduler.schedule(after: shop.moment(1), serially(shop.piece(number))) }
    shop.pass(4)
    if let finding = shop.judgeCompleteness(1...8, script: script) { return finding }
    let order = shop.runs.map(\.piece)
    if order == Array(1...8) { return nil }
    return shop.broken(.orderOfWork, "the pieces ran in the order \(order)", script: script)
}

private func probeWorkFromInside<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let script = "schedule 1, which schedules 2 now and 3 after one unit"
    let work = shop.piece(1) {
        shop.scheduler.schedule(serially(shop.piece(2)))
        shop.scheduler.schedule(after: shop.scheduler.now.advanced(by: shop.unit), serially(shop.piece(3)))
    }
    shop.scheduler.schedule(serially(work))
    shop.pass(5)
    if shop.hasOverlap {
        return shop.broken(.orderOfWork, "a piece started while another was running", script: script)
    }
    return shop.judgeCompleteness(1...3, script: script)
}

private func probeRepeat<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let script = "schedule 1 for every unit; cancel after some units"
    let token = shop.scheduler.schedule(after: shop.moment(1), interval: shop.unit, serially(shop.piece(1)))
    shop.pass(3)
    shop.noteCancel()
    token.cancel()
    let runs = shop.runs
    shop.pass(4)
    let late = shop.runs.dropFirst(runs.count)
    // A run that another thread has started may finish.
    let mayBeUnderWay = late.first.map { $0.thread != .current } ?? false
    if late.count > (mayBeUnderWay ? 1 : 0) {
        return shop.broken(.cancelledWorkRests, "it ran \(late.count) times after cancel()", script: script)
    }
    for (index, run) in runs.enumerated() where run.moment < shop.moment(index + 1) {
        return shop.broken(.notBeforeItsTime, "it ran again before the interval had passed", script: script)
    }
    if runs.count > 1 { return nil }
    return shop.broken(.runsOnce, "repeated work ran \(runs.count) times in three intervals", script: script)
}

private func probeCancelInside<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let token = Guarded<(any Cancellable)?>(nil)
    let work = shop.piece(1) {
        if shop.runs.count != 2 { return }
        shop.noteCancel()
        token.withLock { $0 }?.cancel()
    }
    let cancellable = shop.scheduler.schedule(after: shop.moment(1), interval: shop.unit, serially(work))
    token.withLock { $0 = cancellable }
    shop.pass(6)
    let count = shop.runs.count
    // Cancels again if the first call had no effect.
    token.withLock { $0.take() }?.cancel()
    if count <= 2 { return nil }
    return shop.broken(
        .cancelledWorkRests, "work that cancels itself in its second run ran \(count) times",
        script: "schedule 1 for every unit; cancel in its second run")
}

private func probeEarlyCancel<S: Scheduler>(on shop: Workshop<S>) -> Finding? {
    let token = shop.scheduler.schedule(after: shop.moment(2), interval: shop.unit, serially(shop.piece(1)))
    let hadRun = !shop.runs.isEmpty
    shop.noteCancel()
    token.cancel()
    shop.pass(4)
    if hadRun || shop.runs.isEmpty { return nil }
    return shop.broken(
        .cancelledWorkRests, "it ran although it was cancelled before",
        script: "schedule 1 after two units and for every unit; cancel")
}
