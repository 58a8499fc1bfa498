import HeadgateCore

/// Tries a scheduler, and tells rule by rule what it found.
///
/// ```swift
/// verify(scheduler: { TestScheduler() }, advance: { $0.advance(by: $1) }).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - scheduler: Makes the scheduler.
///   - unit: The length of time in which the verifier counts; for a scheduler on a real clock, some milliseconds.
///   - advance: Lets so much time pass: moves the clock on, or waits.
public func verify<S: Scheduler>(
    scheduler: @escaping () -> S, unit: S.SchedulerTimeType.Stride = .milliseconds(10),
    advance: @escaping (S, S.SchedulerTimeType.Stride) -> Void
) -> Verification {
    var verification = Verification(subject: "scheduler", verdicts: [:], scriptCount: 0)
    let verifier = SchedulerVerifier(make: scheduler, unit: unit, advance: advance)
    for finding in [verifier.probeOnce(), verifier.probeMoment(), verifier.probeOrder(), verifier.probeRepeat()] {
        verification.scriptCount += 1
        if let finding { verification.take(finding) }
    }
    verification.fillIn(held: [.runsOnce, .notBeforeItsTime, .orderOfWork, .cancelledWorkRests, .clockGoesForward])
    return verification
}

/// Puts together what is found out about a scheduler.
struct SchedulerVerifier<S: Scheduler> {
    let make: () -> S
    let unit: S.SchedulerTimeType.Stride
    let advance: (S, S.SchedulerTimeType.Stride) -> Void

    private func broken(_ rule: Rule, _ finding: String, script: String) -> Finding {
        .broken(rule, finding, script: script, outcome: Outcome())
    }

    func probeOnce() -> Finding? {
        let scheduler = make()
        let count = Locked(0)
        scheduler.schedule { count.withLock { $0 += 1 } }
        scheduler.schedule(after: scheduler.now.advanced(by: unit)) { count.withLock { $0 += 1 } }
        for _ in 0..<4 { advance(scheduler, unit) }
        let runs = count.withLock { $0 }
        return runs == 2
            ? nil : broken(.runsOnce, "two pieces of work were done \(runs) times", script: "schedule twice")
    }

    func probeMoment() -> Finding? {
        let scheduler = make()
        let goal = scheduler.now.advanced(by: unit)
        let seen = Locked<S.SchedulerTimeType?>(nil)
        scheduler.schedule(after: goal) {
            let now = scheduler.now
            seen.withLock { $0 = now }
        }
        let script = "schedule after a unit of time"
        let isEarly = seen.withLock { $0 != nil } && scheduler.now < goal
        if isEarly { return broken(.notBeforeItsTime, "the work was done at once", script: script) }
        for _ in 0..<3 { advance(scheduler, unit) }
        guard let moment = seen.withLock({ $0 }) else {
            return broken(.runsOnce, "the work was not done when its moment had gone by", script: script)
        }
        if moment >= goal { return nil }
        return broken(.clockGoesForward, "the clock shows \(moment) when work for \(goal) is done", script: script)
    }

    func probeOrder() -> Finding? {
        let scheduler = make()
        let log = Locked<[Int]>([])
        let goal = scheduler.now.advanced(by: unit)
        for number in 0..<8 { scheduler.schedule(after: goal) { log.withLock { $0.append(number) } } }
        for _ in 0..<3 { advance(scheduler, unit) }
        let order = log.withLock { $0 }
        return order == Array(0..<8)
            ? nil : broken(.orderOfWork, "eight pieces were done in the order \(order)", script: "schedule eight times")
    }

    func probeRepeat() -> Finding? {
        let scheduler = make()
        let count = Locked(0)
        let token = Locked<(any Cancellable)?>(nil)
        let cancellable = scheduler.schedule(after: scheduler.now.advanced(by: unit), interval: unit) {
            let runs = count.withLock {
                $0 += 1
                return $0
            }
            if runs == 2 { token.withLock { $0 }?.cancel() }
        }
        token.withLock { $0 = cancellable }
        for _ in 0..<6 { advance(scheduler, unit) }
        let runs = count.withLock { $0 }
        _ = token.withLock { $0.take() }
        return runs == 2
            ? nil
            : broken(
                .cancelledWorkRests, "work that cancels itself in its second run was done \(runs) times",
                script: "schedule repeatedly; cancel in the second run")
    }
}
