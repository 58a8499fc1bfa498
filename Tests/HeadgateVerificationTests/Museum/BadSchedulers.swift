import Headgate
import HeadgateTesting
import HeadgateVerification

/// A scheduler that may be made with one defect, and is right without.
final class PlainScheduler: Scheduler {
    typealias SchedulerOptions = Never

    enum Defect {
        case none
        case runsTwice
        case losesWorkOfThePast
        case losesWorkFromInside
        case repeatsOnce
        case knowsNoDelay
        case repeatsTooFast
        case turnsTheOrderRound
        case runsInside
        case ignoresCancel
        case ignoresCancelInside
        case ignoresEarlyCancel
        case ignoresCancelByOthers
        case mixesUpAJump
        case showsTheTimeLate
        case clockGoesBack
        case armsBeforeRunning
        case catchesUpThoughCancelled
        case stallsAfterAJump
        case isEarlyByTolerance
        case repeatsEarlyByTolerance
    }

    /// What stops repeated work.
    private final class Token: Cancellable {
        var isCancelled = false
        var cancelledAt: TestTime?
        var runs = 0
        private let agenda: TestScheduler

        init(_ agenda: TestScheduler) { self.agenda = agenda }

        func cancel() {
            isCancelled = true
            cancelledAt = agenda.now
        }
    }

    private let defect: Defect
    private let agenda = TestScheduler()
    private var shown = TestTime.zero
    private var advances = 0
    private var isRunning = false
    private var count = 0

    /// What has become due, in the order in which it was scheduled, if the defect is to run it in that order.
    private var due: [(number: Int, action: () -> Void)] = []

    private var lastAdvance = TestTime.Stride.zero

    /// How much later than due work runs, as on a machine that has other work to do.
    private let lateness: TestTime.Stride

    init(_ defect: Defect = .none, lateness: TestTime.Stride = .zero) {
        self.defect = defect
        self.lateness = lateness
    }

    var now: TestTime {
        switch defect {
        case .showsTheTimeLate: shown
        case .clockGoesBack: advances > 2 ? .zero : agenda.now
        default: agenda.now
        }
    }

    var minimumTolerance: TestTime.Stride { .zero }

    func advance(by stride: TestTime.Stride) {
        lastAdvance = stride
        agenda.advance(by: stride)
        let pieces = due.sorted { $0.number < $1.number }
        due = []
        for piece in pieces { piece.action() }
        advances += 1
        shown = agenda.now
    }

    func schedule(options: Never?, _ action: @escaping () -> Void) {
        if defect == .runsInside { return action() }
        agenda.schedule(after: now.advanced(by: lateness), work(action))
        if defect == .runsTwice { agenda.schedule(work(action)) }
    }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void
    ) {
        if defect == .losesWorkOfThePast, date < now { return }
        if defect == .losesWorkFromInside, isRunning { return }
        count += 1
        switch defect {
        case .knowsNoDelay: agenda.schedule(work(action))
        case .isEarlyByTolerance: agenda.schedule(after: date.advanced(by: 0 - tolerance), work(action))
        case .turnsTheOrderRound: agenda.schedule(after: date.advanced(by: .nanoseconds(1000 - count)), work(action))
        case .mixesUpAJump:
            let number = count
            agenda.schedule(after: date) { self.due.append((number, self.work(action))) }
        default: agenda.schedule(after: date.advanced(by: lateness), work(action))
        }
    }

    private func work(_ action: @escaping () -> Void) -> () -> Void {
        {
            self.isRunning = true
            action()
            self.isRunning = false
        }
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        let token = Token(agenda)
        var pace = defect == .repeatsTooFast ? .nanoseconds(interval.magnitude / 2) : interval
        if defect == .repeatsEarlyByTolerance { pace = .nanoseconds(interval.magnitude - tolerance.magnitude / 2) }
        repeatWork(after: date, every: pace, token, action)
        return token
    }

    private func repeatWork(
        after date: TestTime, every interval: TestTime.Stride, _ token: Token, _ action: @escaping () -> Void
    ) {
        agenda.schedule(after: date.advanced(by: lateness)) {
            if self.defect == .armsBeforeRunning {
                if !token.isCancelled {
                    self.repeatWork(after: date.advanced(by: interval), every: interval, token, action)
                }
                return action()
            }
            if token.isCancelled, !self.runsThoughCancelled(token) { return }
            token.runs += 1
            if self.defect == .catchesUpThoughCancelled {
                self.due.append((0, action))
                if token.runs > 20 { return }
                return self.repeatWork(after: date.advanced(by: interval), every: interval, token, action)
            }
            let wasCancelled = token.isCancelled
            action()
            if self.defect == .ignoresCancelInside, !wasCancelled { token.isCancelled = false }
            if self.defect == .stallsAfterAJump, self.lastAdvance > interval { return }
            if self.defect == .repeatsOnce || token.runs > 20 { return }
            self.repeatWork(after: date.advanced(by: interval), every: interval, token, action)
        }
    }

    private func runsThoughCancelled(_ token: Token) -> Bool {
        switch defect {
        case .ignoresCancel: true
        case .ignoresEarlyCancel: token.runs == 0
        case .ignoresCancelByOthers: token.cancelledAt == agenda.now
        default: false
        }
    }
}

extension PlainScheduler {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { _ in
                verify(scheduler: { PlainScheduler(defect) }, advance: { $0.advance(by: $1) })
            }
        }
        return [
            exhibit(
                "schedulerRunsTwice", "runs work twice", met: "hand-made queues", breaks: .runsOnce, .runsTwice),
            exhibit(
                "schedulerLosesThePast", "drops work scheduled in the past", met: "wrappers of timers",
                breaks: .runsOnce, .losesWorkOfThePast),
            exhibit(
                "schedulerLosesInside", "drops work scheduled from inside work", met: "hand-made run loops",
                breaks: .runsOnce, .losesWorkFromInside),
            exhibit(
                "schedulerRepeatsOnce", "runs repeated work once", met: "immediate schedulers", breaks: .runsOnce,
                .repeatsOnce),
            exhibit(
                "schedulerKnowsNoDelay", "runs delayed work together with work that is due",
                met: "schedulers for tests",
                breaks: .workIsNeverEarly, .knowsNoDelay),
            exhibit(
                "schedulerRepeatsTooFast", "repeats work before the interval has elapsed",
                met: "timers that catch up", breaks: .workIsNeverEarly, .repeatsTooFast),
            exhibit(
                "schedulerTurnsTheOrderRound", "runs work for the same time in the wrong order",
                met: "heaps without a sequence number", breaks: .orderOfWork, .turnsTheOrderRound),
            exhibit(
                "schedulerRunsInside", "runs work scheduled from inside work immediately",
                met: "immediate schedulers", breaks: .orderOfWork, .runsInside),
            exhibit(
                "schedulerIgnoresCancel", "continues with cancelled work", met: "tokens that are never checked",
                breaks: .cancelledWorkStops, .ignoresCancel),
            exhibit(
                "schedulerIgnoresCancelInside", "continues with work that cancels itself",
                met: "timers that rearm themselves", breaks: .cancelledWorkStops, .ignoresCancelInside),
            exhibit(
                "schedulerIgnoresEarlyCancel", "starts work that was cancelled before its first run",
                met: "timers with a first delay", breaks: .cancelledWorkStops, .ignoresEarlyCancel),
            exhibit(
                "schedulerIgnoresCancelByOthers", "runs repeated work that was cancelled by work of the same time",
                met: "schedulers that take all that is due at once", breaks: .cancelledWorkStops,
                .ignoresCancelByOthers),
            exhibit(
                "schedulerMixesUpAJump", "runs what is due after a jump of its clock in the order of scheduling",
                met: "schedulers that take all that is due at once", breaks: .orderOfWork, .mixesUpAJump),
            exhibit(
                "schedulerArmsBeforeRunning", "arms the next run before the work runs, which may cancel it",
                met: "timers that rearm themselves", breaks: .cancelledWorkStops, .armsBeforeRunning),
            exhibit(
                "schedulerCatchesUpThoughCancelled",
                "makes up for the runs that it missed in a jump, although the first of them cancels",
                met: "timers that catch up", breaks: .cancelledWorkStops, .catchesUpThoughCancelled),
            exhibit(
                "schedulerStallsAfterAJump", "stops repeating when its clock jumps past the next run",
                met: "timers that compare times for equality", breaks: .runsOnce, .stallsAfterAJump),
            exhibit(
                "schedulerIsEarlyByTolerance", "takes the tolerance as permission to run work early",
                met: "wrappers of timers", breaks: .workIsNeverEarly, .isEarlyByTolerance),
            exhibit(
                "schedulerRepeatsEarlyByTolerance", "subtracts half the tolerance from each interval",
                met: "wrappers of timers", breaks: .workIsNeverEarly, .repeatsEarlyByTolerance),
            exhibit(
                "schedulerShowsTheTimeLate", "shows the previous step's time while it runs work",
                met: "schedulers for tests", breaks: .clockGoesForward, .showsTheTimeLate),
            exhibit(
                "schedulerClockGoesBack", "has a clock that goes back", met: "wall clocks",
                breaks: .clockGoesForward, .clockGoesBack),
        ]
    }
}
