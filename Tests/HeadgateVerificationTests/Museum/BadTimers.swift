import Headgate
import HeadgateTesting
import HeadgateVerification

/// Publishers that tick by a scheduler, with one defect each.
enum BadTimers {
    enum Defect { case none, forgetsAnswers, goesOnAfterTheEnd, ignoresCancel, completesAgain, ignoresDemand }

    /// Ticks every second while values are asked for, three times.
    static func timer(_ scheduler: TestScheduler, _ defect: Defect) -> ClosurePublisher {
        ClosurePublisher { visitor in visitor.receive(subscription: Ticker(visitor, scheduler, defect)) }
    }

    private final class Ticker: Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private let scheduler: TestScheduler
        private let defect: Defect
        private var outstanding = Subscribers.Demand.none
        private var token: (any Cancellable)?
        private var ticks = 0

        init(_ downstream: ClosurePublisher.Visitor, _ scheduler: TestScheduler, _ defect: Defect) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.defect = defect
        }

        deinit { token?.cancel() }

        func request(_ demand: Subscribers.Demand) {
            if defect == .completesAgain, ticks == 3 { downstream?.receive(completion: .finished) }
            guard downstream != nil, demand > .none else { return }
            outstanding += demand
            if token != nil { return }
            let date = scheduler.now.advanced(by: .seconds(1))
            if defect == .goesOnAfterTheEnd {
                token = scheduler.schedule(after: date, interval: .seconds(1)) { self.tick() }
            } else {
                token = scheduler.schedule(after: date, interval: .seconds(1)) { [weak self] in self?.tick() }
            }
        }

        private func tick() {
            guard let downstream, defect == .ignoresDemand || outstanding > .none, ticks < 3 else { return }
            outstanding -= 1
            ticks += 1
            let more = downstream.receive(ticks)
            if defect != .forgetsAnswers { outstanding += more }
            if ticks < 3 || self.downstream == nil { return }
            if defect != .completesAgain { self.downstream = nil }
            if defect != .goesOnAfterTheEnd { token?.cancel() }
            downstream.receive(completion: .finished)
        }

        func cancel() {
            if defect == .ignoresCancel { return }
            downstream = nil
            token?.cancel()
        }
    }

    static var exhibits: [Exhibit] {
        func exhibit(_ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect) -> Exhibit
        {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(publisher: { Self.timer($0, defect) }, .finite, effort: effort)
            }
        }
        return [
            exhibit(
                "timerForgetsAnswers", "ignores the demand returned for a tick",
                met: "tutorials on custom timers", breaks: .demandAddsUp, .forgetsAnswers),
            exhibit(
                "timerGoesOnAfterTheEnd", "leaves its clock running after it has finished",
                met: "tutorials on custom timers", breaks: .releasesReferences, .goesOnAfterTheEnd),
            exhibit(
                "timerIgnoresCancel", "has an empty `cancel()`", met: "tutorials on custom timers",
                breaks: .cancelStopsDelivery, .ignoresCancel),
            exhibit(
                "timerCompletesAgain", "completes on every request after the last tick",
                met: "timers that count ticks", breaks: .oneCompletion, .completesAgain),
            exhibit(
                "timerIgnoresDemand", "ticks regardless of demand", met: "wrappers of system timers",
                breaks: .valuesAgainstDemand, .ignoresDemand),
        ]
    }
}
