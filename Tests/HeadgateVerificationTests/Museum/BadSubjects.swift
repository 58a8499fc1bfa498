import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subject that may be made with one defect, and is right without.
final class PlainSubject: Subject {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        case sendsAtOnce
        case servesBackwards
        case ignoresDemand
        case silentAfterTheEnd
        case goesOnAfterTheEnd
        case servesWhoHasLeft
        case neverForgets
        case keepsItself
        case holdsALock
        case ignoresUpstream
    }

    private final class Member: Subscription {
        weak var subject: PlainSubject?
        var downstream: ClosurePublisher.Visitor?
        var outstanding = Subscribers.Demand.none
        var keepsDownstream = false

        func request(_ demand: Subscribers.Demand) {
            subject?.locked {
                outstanding += demand
                subject?.requestUpstreams()
            }
        }

        func cancel() {
            subject?.locked {
                if !keepsDownstream { downstream = nil }
                isCancelled = true
                if subject?.defect != .servesWhoHasLeft { hasLeft = true }
                if !keepsDownstream { subject?.members.removeAll { $0 === self } }
            }
        }

        var isCancelled = false
        var hasLeft = false
    }

    private let defect: Defect
    private var members: [Member] = []
    private var upstreams: [any Subscription] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var pending: [Int] = []
    private var isSending = false
    private let lock = NSRecursiveLock()
    private var circle: PlainSubject?

    init(_ defect: Defect = .none) { self.defect = defect }

    private func locked(_ body: () -> Void) {
        if defect == .holdsALock { lock.lock() }
        body()
        if defect == .holdsALock { lock.unlock() }
    }

    private func requestUpstreams() {
        if defect == .ignoresUpstream { return }
        let all = upstreams
        for upstream in all { upstream.request(.unlimited) }
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        if let ending {
            subscriber.receive(subscription: Subscriptions.empty)
            if defect != .silentAfterTheEnd { subscriber.receive(completion: ending) }
            return
        }
        let member = Member()
        member.subject = self
        member.downstream = AnySubscriber(subscriber)
        member.keepsDownstream = defect == .neverForgets
        members.append(member)
        if defect == .keepsItself { circle = self }
        subscriber.receive(subscription: member)
    }

    func send(_ value: Int) {
        locked {
            if ending != nil, defect != .goesOnAfterTheEnd { return }
            pending.append(value)
            if isSending, defect != .sendsAtOnce { return }
            isSending = true
            while !pending.isEmpty { deliver(pending.removeFirst()) }
            isSending = false
        }
    }

    private func deliver(_ value: Int) {
        let members = defect == .servesBackwards ? self.members.reversed() : self.members
        let visitors = members.map(\.downstream)
        for (member, visitor) in Swift.zip(members, visitors) {
            let downstream = defect == .servesWhoHasLeft ? visitor : member.downstream
            if member.hasLeft { continue }
            guard let downstream, defect == .ignoresDemand || member.outstanding > .none else { continue }
            member.outstanding -= 1
            member.outstanding += downstream.receive(value)
        }
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        if ending != nil { return }
        ending = completion
        let members = self.members
        if defect != .goesOnAfterTheEnd, defect != .neverForgets { self.members = [] }
        let upstreams = self.upstreams
        self.upstreams = []
        for upstream in upstreams { upstream.cancel() }
        for member in members where !member.isCancelled {
            let downstream = member.downstream
            if defect != .goesOnAfterTheEnd, defect != .neverForgets { member.downstream = nil }
            downstream?.receive(completion: completion)
        }
    }

    func send(subscription: any Subscription) {
        upstreams.append(subscription)
        if members.contains(where: { $0.outstanding > .none }) { subscription.request(.unlimited) }
    }
}

extension PlainSubject {
    static var exhibits: [Exhibit] {
        func subject(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { verify(subject: PlainSubject(defect), effort: $0) }
        }
        return [
            subject(
                "subjectSendsAtOnce",
                "delivers a value sent from inside a delivery immediately, so later subscribers receive it first",
                met: "existing libraries", breaks: .oneOrderForAll, .sendsAtOnce),
            subject(
                "subjectServesBackwards", "serves the newest subscriber first", met: "hand-made subjects",
                breaks: .orderOfSubscribers, .servesBackwards),
            subject(
                "subjectIgnoresDemand", "delivers to all subscribers regardless of demand",
                met: "wrappers of callbacks",
                breaks: .valuesAgainstDemand, .ignoresDemand),
            subject(
                "subjectIsSilentAfterTheEnd", "sends nothing to late subscribers", met: "hand-made subjects",
                breaks: .ignoresLateEvents, .silentAfterTheEnd),
            subject(
                "subjectGoesOnAfterTheEnd", "accepts values after the completion", met: "hand-made subjects",
                breaks: .silenceAfterTheEnd, .goesOnAfterTheEnd),
            subject(
                "subjectServesWhoHasLeft",
                "iterates a copy of its list, and delivers to subscribers that have just cancelled",
                met: "hand-made subjects", breaks: .cancelStopsDelivery, .servesWhoHasLeft),
            subject(
                "subjectNeverForgets", "never releases a subscriber", met: "hand-made subjects",
                breaks: .releasesReferences, .neverForgets),
            subject(
                "subjectKeepsItself", "retains itself without subscribers",
                met: "hand-made subjects", breaks: .releasesReferences, .keepsItself),
            subject(
                "subjectHoldsALock", "delivers while holding a lock", met: "reactive libraries, repeatedly",
                breaks: .noLockHeld,
                .holdsALock),
            subject(
                "subjectIgnoresUpstream", "never requests anything from an upstream", met: "hand-made subjects",
                breaks: .demandAddsUp, .ignoresUpstream),
        ]
    }
}
