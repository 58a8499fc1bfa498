import Headgate
import HeadgateControls
import HeadgateTesting
import HeadgateVerification

/// Publishers of what happens to an object that calls its targets, with one defect each.
enum BadControls {
    enum Defect {
        case none
        case ignoresDemand
        case keepsItsTarget
        case finishesWhenUsedUp
        case countsOneTooMany
    }

    /// A control that somebody presses once a second while it has targets, which it does not keep.
    private final class Control {
        private struct Entry {
            weak var target: Target?
            let kept: Target?
        }

        private let scheduler: TestScheduler
        private var entries: [Entry] = []
        private var finger: (any Cancellable)?
        private var presses = 0

        init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

        func add(_ target: Target, keeping: Bool) {
            entries.append(Entry(target: target, kept: keeping ? target : nil))
            if finger != nil { return }
            finger = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 1) { self.press() }
        }

        func remove(_ target: Target?) {
            entries.removeAll { $0.target == nil || $0.target === target }
            if entries.isEmpty { finger.take()?.cancel() }
        }

        private func press() {
            presses += 1
            for target in entries.compactMap(\.target) { target.receive(presses) }
        }
    }

    private final class Target: Subscription {
        private let defect: Defect
        private var control: Control?
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none

        init(_ control: Control, _ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.control = control
            self.downstream = downstream
            self.defect = defect
        }

        deinit { control?.remove(nil) }

        var isOpen: Bool { downstream != nil }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil || demand == .none { return }
            if defect == .countsOneTooMany, outstanding == .none { outstanding += 1 }
            outstanding += demand
        }

        func receive(_ value: Int) {
            guard let downstream, defect == .ignoresDemand || outstanding > .none else { return }
            outstanding -= 1
            outstanding += downstream.receive(value)
            if defect == .finishesWhenUsedUp, outstanding == .none, self.downstream != nil {
                cancel()
                downstream.receive(completion: .finished)
            }
        }

        func cancel() {
            if defect == .keepsItsTarget { return control = nil }
            downstream = nil
            control.take()?.remove(self)
        }
    }

    static func publisher(_ scheduler: TestScheduler, _ defect: Defect) -> ClosurePublisher {
        let control = Control(scheduler)
        return ClosurePublisher { visitor in
            let target = Target(control, visitor, defect)
            visitor.receive(subscription: target)
            if target.isOpen { control.add(target, keeping: defect == .keepsItsTarget) }
        }
    }
}

extension BadControls {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(publisher: { publisher($0, defect) }, .hot, effort: effort)
            }
        }
        return [
            exhibit(
                "controlIgnoresDemand", "publishes every event regardless of demand",
                met: "tutorials on publishers of controls", breaks: .valuesAgainstDemand, .ignoresDemand),
            exhibit(
                "controlKeepsItsTarget", "stays in the control's list of targets, which retains the subscriber",
                met: "tutorials on publishers of controls", breaks: .releasesReferences, .keepsItsTarget),
            exhibit(
                "holderFinishesWhenUsedUp", "finishes after as many changes as were requested",
                met: "tutorials on value holders", breaks: .exhaustedDemandDoesNotComplete, .finishesWhenUsedUp),
            exhibit(
                "holderCountsOneTooMany", "publishes one change more than requested",
                met: "tutorials on value holders", breaks: .valuesAgainstDemand, .countsOneTooMany),
        ]
    }
}
