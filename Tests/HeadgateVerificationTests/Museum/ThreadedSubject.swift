import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// A subject that is right on one thread, and wrong on two in one way.
final class ThreadedSubject: Subject, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        /// Delivers on every thread that sends.
        case deliversOnEveryThread
        /// Delivers under its lock.
        case holdsItsLock
        /// Puts aside what is sent while another thread delivers, and forgets it.
        case dropsWhatComesMeanwhile
    }

    private final class Member: Subscription, @unchecked Sendable {
        private let lock = NSLock()
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none

        init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }

        func request(_ demand: Subscribers.Demand) { lock.withLock { outstanding += demand } }

        func cancel() { _ = lock.withLock { downstream.take() } }

        func deliver(_ value: Int) {
            let target = lock.withLock { () -> ClosurePublisher.Visitor? in
                if outstanding == .none { return nil }
                outstanding -= 1
                return downstream
            }
            guard let more = target?.receive(value) else { return }
            lock.withLock { outstanding += more }
        }

        func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            lock.withLock { downstream.take() }?.receive(completion: completion)
        }
    }

    private let defect: Defect
    private let lock = NSLock()
    private let sending = NSRecursiveLock()
    private var members: [Member] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var isSending = false

    init(_ defect: Defect) { self.defect = defect }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        let member = Member(AnySubscriber(subscriber))
        let ending = lock.withLock {
            if self.ending == nil { members.append(member) }
            return self.ending
        }
        subscriber.receive(subscription: member)
        if let ending { member.end(ending) }
    }

    func send(_ value: Int) {
        switch defect {
        case .deliversOnEveryThread:
            deliver(value)
        case .holdsItsLock:
            sending.withLock { deliver(value) }
        case .dropsWhatComesMeanwhile:
            let mayDeliver = lock.withLock {
                defer { isSending = true }
                return !isSending
            }
            if !mayDeliver { return }
            deliver(value)
            lock.withLock { isSending = false }
        }
    }

    private func deliver(_ value: Int) {
        for member in lock.withLock({ ending == nil ? members : [] }) { member.deliver(value) }
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        let members = lock.withLock {
            if ending == nil { ending = completion }
            defer { self.members = [] }
            return self.members
        }
        for member in members { member.end(completion) }
    }

    func send(subscription: any Subscription) { subscription.request(.unlimited) }
}

extension ThreadedSubject {
    static var exhibits: [Exhibit] {
        func subject(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { _ in
                stress(
                    subject: ThreadedSubject(defect),
                    effort: defect == .holdsItsLock
                        ? StressEffort(rounds: 40, timeout: 200) : StressEffort(rounds: 40))
            }
        }
        return [
            subject(
                "subjectDeliversOnEveryThread", "delivers on every sending thread, so deliveries overlap",
                met: "existing libraries", breaks: .oneCallAtATime, .deliversOnEveryThread),
            subject(
                "subjectHasNoOrder", "delivers on every sending thread, so subscribers see different orders",
                met: "existing libraries", breaks: .oneOrderForAll, .deliversOnEveryThread),
            subject(
                "subjectWaitsForAnother",
                "delivers while holding its lock, so two subjects that send to each other deadlock",
                met: "reactive libraries, repeatedly", breaks: .noLockHeld, .holdsItsLock),
            subject(
                "subjectDropsWhatComesMeanwhile", "drops what is sent while another thread delivers",
                met: "hand-made subjects", breaks: .nothingIsLost, .dropsWhatComesMeanwhile),
        ]
    }
}
