import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subject that replays to subscribers that come late, may be made with one defect, and is right without.
final class ReplayingSubject: Subject {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        case replaysWithoutDemand
        case replaysOnlyAtOnce
        case endsBeforeItsReplay
        case nestsItsReplay
        case replaysToWhoHasLeft
    }

    private final class Member: Subscription {
        private weak var subject: ReplayingSubject?
        private let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var pending: [Int]
        private var ending: Subscribers.Completion<VerificationFailure>?
        private var outstanding = Subscribers.Demand.none
        private var isServing = false

        init(_ downstream: ClosurePublisher.Visitor, of subject: ReplayingSubject) {
            self.downstream = downstream
            self.subject = subject
            defect = subject.defect
            pending = subject.history
            ending = subject.ending
        }

        func request(_ demand: Subscribers.Demand) {
            outstanding += demand
            serve()
            if demand > .none { subject?.requestUpstreams() }
        }

        func cancel() {
            if defect != .replaysToWhoHasLeft { pending = [] }
            if !isServing || defect != .replaysToWhoHasLeft { downstream = nil }
            subject?.members.removeAll { $0 === self }
        }

        func add(_ value: Int) {
            if downstream == nil { return }
            pending.append(value)
            serve()
        }

        func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            ending = completion
            serve()
        }

        /// What is done when the subscription has been handed down.
        func begin() {
            if defect == .replaysWithoutDemand { outstanding += .max(pending.count) }
            serve()
            if defect == .replaysOnlyAtOnce { pending = [] }
            serve()
        }

        private func serve() {
            if isServing, defect != .nestsItsReplay { return }
            isServing = true
            while outstanding > .none, !pending.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(pending.removeFirst())
            }
            isServing = false
            guard let ending, pending.isEmpty || defect == .endsBeforeItsReplay else { return }
            let last = downstream
            downstream = nil
            last?.receive(completion: ending)
        }
    }

    private let defect: Defect
    private var members: [Member] = []
    private var history: [Int] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var unsent: [Int] = []
    private var isSending = false
    private var upstreams: [any Subscription] = []

    init(_ defect: Defect = .none) { self.defect = defect }

    private func requestUpstreams() {
        for upstream in upstreams { upstream.request(.unlimited) }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        let member = Member(AnySubscriber(subscriber), of: self)
        if ending == nil { members.append(member) }
        subscriber.receive(subscription: member)
        member.begin()
    }

    func send(_ value: Int) {
        if ending != nil { return }
        unsent.append(value)
        if isSending { return }
        isSending = true
        while !unsent.isEmpty {
            let next = unsent.removeFirst()
            history.append(next)
            for member in members { member.add(next) }
        }
        isSending = false
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        if ending != nil { return }
        ending = completion
        let (members, upstreams) = (self.members, self.upstreams)
        self.members = []
        self.upstreams = []
        for upstream in upstreams { upstream.cancel() }
        for member in members { member.end(completion) }
    }

    func send(subscription: any Subscription) {
        upstreams.append(subscription)
        subscription.request(.unlimited)
    }
}

extension ReplayingSubject {
    static var exhibits: [Exhibit] {
        func subject(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { verify(subject: ReplayingSubject(defect), effort: $0) }
        }
        return [
            subject(
                "replayIgnoresDemand", "replays everything to a subscriber that has requested nothing",
                met: "hand-made replay subjects", breaks: .valuesAgainstDemand, .replaysWithoutDemand),
            subject(
                "replaysOnlyAtOnce", "replays as much as is requested at once, and drops the rest",
                met: "hand-made replay subjects", breaks: .demandAddsUp, .replaysOnlyAtOnce),
            subject(
                "endsBeforeItsReplay", "completes for a late subscriber before it has replayed",
                met: "hand-made replay subjects", breaks: .exhaustedDemandDoesNotComplete, .endsBeforeItsReplay),
            subject(
                "nestsItsReplay", "replays on a request from inside a delivery immediately",
                met: "loops inside `request(_:)`", breaks: .noNestedValues, .nestsItsReplay),
            subject(
                "replaysToWhoHasLeft", "goes on with its replay after `cancel()`",
                met: "loops inside `request(_:)`", breaks: .cancelStopsDelivery, .replaysToWhoHasLeft),
        ]
    }
}
