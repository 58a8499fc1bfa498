import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subject whose list of subscribers may be wrong in one way when they come and leave, and is right without.
final class CrowdedSubject: Subject {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        /// Removes a subscriber from the list at once, and so skips the next.
        case skipsTheNext
        case endsBackwards
        case requestsLateUpstreamForOne
        case hasNoSubscriptionForLatecomers
        /// Delivers the current value to subscribers that arrive during its delivery.
        case servesWhoJustCame
        /// Sets subscribers aside that arrive during a delivery, and forgets them.
        case forgetsWhoJustCame
        /// Tells a copy of its list the end.
        case reportsWhoHasLeft
    }

    private final class Member: Subscription {
        weak var subject: CrowdedSubject?
        var downstream: ClosurePublisher.Visitor?
        var outstanding = Subscribers.Demand.none

        func request(_ demand: Subscribers.Demand) {
            guard downstream != nil, demand > .none else { return }
            outstanding += demand
            subject?.requestUpstreams()
        }

        func cancel() {
            if downstream == nil { return }
            downstream = nil
            subject?.remove(self)
        }
    }

    private let defect: Defect
    private var members: [Member] = []
    private var upstreams: [any Subscription] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var pending: [Int] = []
    private var isSending = false

    init(_ defect: Defect = .none) { self.defect = defect }

    private func remove(_ member: Member) {
        if isSending, defect != .skipsTheNext { return }
        members.removeAll { $0 === member }
    }

    private func requestUpstreams() {
        let all = upstreams
        for upstream in all { upstream.request(.unlimited) }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        if let ending {
            if defect != .hasNoSubscriptionForLatecomers { subscriber.receive(subscription: Subscriptions.empty) }
            return subscriber.receive(completion: ending)
        }
        let member = Member()
        member.subject = self
        member.downstream = AnySubscriber(subscriber)
        if defect != .forgetsWhoJustCame || !isSending { members.append(member) }
        subscriber.receive(subscription: member)
    }

    func send(_ value: Int) {
        if ending != nil { return }
        pending.append(value)
        if isSending { return }
        isSending = true
        while !pending.isEmpty { deliver(pending.removeFirst()) }
        isSending = false
        members.removeAll { $0.downstream == nil }
    }

    private func deliver(_ value: Int) {
        var index = 0
        let count = members.count
        while index < (defect == .servesWhoJustCame ? members.count : Swift.min(count, members.count)) {
            let member = members[index]
            if member.outstanding > .none, let downstream = member.downstream {
                member.outstanding -= 1
                member.outstanding += downstream.receive(value)
            }
            index += 1
        }
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        if ending != nil { return }
        ending = completion
        let members = defect == .endsBackwards ? self.members.reversed() : self.members
        let upstreams = self.upstreams
        self.members = []
        self.upstreams = []
        for upstream in upstreams { upstream.cancel() }
        if defect == .reportsWhoHasLeft {
            let visitors = members.compactMap { $0.downstream.take() }
            for visitor in visitors { visitor.receive(completion: completion) }
        }
        for member in members { member.downstream.take()?.receive(completion: completion) }
    }

    func send(subscription: any Subscription) {
        if ending != nil { return subscription.cancel() }
        upstreams.append(subscription)
        if members.contains(where: { $0.outstanding > .none }) {
            subscription.request(defect == .requestsLateUpstreamForOne ? .max(1) : .unlimited)
        }
    }
}

extension CrowdedSubject {
    static var exhibits: [Exhibit] {
        func subject(
            _ name: String, _ fault: String, met place: String = "hand-made subjects", breaks rule: Rule,
            _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { verify(subject: CrowdedSubject(defect), effort: $0) }
        }
        return [
            subject(
                "subjectSkipsTheNext", "skips the next subscriber when one cancels inside its delivery",
                breaks: .nothingIsLost, .skipsTheNext),
            subject(
                "subjectEndsBackwards", "completes the newest subscriber first", breaks: .orderOfSubscribers,
                .endsBackwards),
            subject(
                "subjectRequestsLateUpstreamForOne", "requests one value from a late upstream, regardless of demand",
                breaks: .demandAddsUp, .requestsLateUpstreamForOne),
            subject(
                "subjectHasNoSubscriptionForLatecomers", "sends late subscribers a completion without a subscription",
                breaks: .oneSubscription, .hasNoSubscriptionForLatecomers),
            subject(
                "subjectServesWhoJustCame", "delivers the current value to a subscriber that joins inside its delivery",
                breaks: .subscribingInside, .servesWhoJustCame),
            subject(
                "subjectForgetsWhoJustCame", "loses a subscriber that joins during a delivery",
                breaks: .subscribingInside, .forgetsWhoJustCame),
            subject(
                "subjectReportsWhoHasLeft",
                "iterates a copy of its list on completion, and completes subscribers that have just cancelled",
                breaks: .cancelStopsDelivery, .reportsWhoHasLeft),
        ]
    }
}
