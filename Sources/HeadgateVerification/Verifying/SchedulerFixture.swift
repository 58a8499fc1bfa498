import HeadgateCore
import HeadgateTesting

/// A scheduler under test, and the record of its work.
final class SchedulerFixture<S: Scheduler>: @unchecked Sendable {
    // The record, perhaps written by several threads, is guarded by the lock; the rest is used by the checking thread.

    /// One run of a piece of work.
    struct Run {
        let piece: Int
        let moment: S.SchedulerTimeType
        let thread: ThreadIdentity
    }

    private struct State {
        var runs: [Run] = []
        var underWay = 0
        var hasOverlap = false
        var unitsPassed = 0
        var timeLine = TimeLine()
    }

    let scheduler: S
    let unit: S.SchedulerTimeType.Stride
    private let advance: (S, S.SchedulerTimeType.Stride) -> Void
    private let start: S.SchedulerTimeType
    private var hasGoneBack = false

    /// What the probe does, in words.
    var script = ""

    private let state = Guarded(State())

    init(
        _ scheduler: S, unit: S.SchedulerTimeType.Stride, advance: @escaping (S, S.SchedulerTimeType.Stride) -> Void
    ) {
        self.scheduler = scheduler
        self.unit = unit
        self.advance = advance
        start = scheduler.now
    }

    /// All runs, in order.
    var runs: [Run] { state.withLock { $0.runs } }

    /// Whether work started while other work was running.
    var hasOverlap: Bool { state.withLock { $0.hasOverlap } }

    /// The time this many units after the start.
    func moment(_ units: Int) -> S.SchedulerTimeType {
        let step = units < 0 ? 0 - unit : unit
        return (0..<abs(units)).reduce(start) { moment, _ in moment.advanced(by: step) }
    }

    /// A piece of work, which records its runs.
    func piece(_ number: Int, _ body: @escaping () -> Void = {}) -> @Sendable () -> Void {
        serially {
            let run = Run(piece: number, moment: self.scheduler.now, thread: .current)
            self.state.withLock { state in
                state.runs.append(run)
                if state.underWay > 0 { state.hasOverlap = true }
                state.underWay += 1
                state.timeLine.append(.value("\(number)"), to: .values, at: 2 * state.unitsPassed)
            }
            body()
            self.state.withLock { $0.underWay -= 1 }
        }
    }

    func noteCancel() { state.withLock { $0.timeLine.append(.cancel, to: .demand, at: 2 * $0.unitsPassed) } }

    /// Lets time pass, unit by unit.
    func pass(_ units: Int) { for _ in 0..<units { jump(1) } }

    /// Lets several units of time pass at once.
    func jump(_ units: Int) {
        let before = scheduler.now
        state.withLock { state in
            state.unitsPassed += units
            state.timeLine.length = max(state.timeLine.length, 2 * state.unitsPassed + 1)
        }
        advance(scheduler, (1..<units).reduce(unit) { stride, _ in stride + unit })
        if scheduler.now < before { hasGoneBack = true }
    }

    /// How many units of time work may be late on a real clock, while the processors are busy.
    private static var lateness: Int { 100 }

    /// Lets more time pass until something has happened that may be late.
    func waitUntil(_ hasHappened: () -> Bool) {
        for _ in 0..<Self.lateness where !hasHappened() { advance(scheduler, unit) }
    }

    func broken(_ rule: Rule, _ finding: String) -> Finding {
        .broken(rule, finding, script: script, timeLine: state.withLock { $0.timeLine })
    }

    /// Checks that each piece ran once.
    func checkCompleteness(_ pieces: ClosedRange<Int>) -> Finding? {
        waitUntil { Set(runs.map(\.piece)).isSuperset(of: pieces) }
        let done = runs.map(\.piece)
        for piece in pieces {
            let count = done.count { $0 == piece }
            if count != 1 { return broken(.runsOnce, "\(piece) ran \(count) times") }
        }
        return nil
    }

    /// Checks that the clock has not gone back.
    func checkClock() -> Finding? {
        if !hasGoneBack, runs.allSatisfy({ $0.moment >= start }) { return nil }
        script = "schedule work; let time pass"
        return broken(.clockGoesForward, "the clock has gone back")
    }
}
