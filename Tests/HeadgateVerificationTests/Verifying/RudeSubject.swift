import Foundation
import Headgate
import HeadgateTesting

/// A subject that may be made with one defect that shows in few situations, and is right without.
final class RudeSubject: Subject {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        /// Delivers at once what another thread sends.
        case servesThreadsAtOnce
        /// Delivers to a subscriber what another thread sends before what is under way.
        case letsThreadsPass
        /// Calls itself for every value that is sent from inside a delivery.
        case recurses
        /// Forgets a subscriber that releases its subscription.
        case forgetsWhoForgets
    }

    private final class Member: Subscription {
        var downstream: ClosurePublisher.Visitor?
        var outstanding = Subscribers.Demand.none
        func request(_ demand: Subscribers.Demand) { outstanding += demand }
        func cancel() { downstream = nil }
    }

    private final class Handle: Subscription {
        let member: Member
        let isLastWord: Bool
        init(_ member: Member, isLastWord: Bool) {
            self.member = member
            self.isLastWord = isLastWord
        }
        deinit { if isLastWord { member.cancel() } }
        func request(_ demand: Subscribers.Demand) { member.request(demand) }
        func cancel() { member.cancel() }
    }

    private let defect: Defect
    private let home = Thread.current
    private var members: [Member] = []
    private var upstreams: [any Subscription] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var pending: [Int] = []
    private var isSending = false

    init(_ defect: Defect) { self.defect = defect }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        if let ending {
            subscriber.receive(subscription: Subscriptions.empty)
            return subscriber.receive(completion: ending)
        }
        let member = Member()
        member.downstream = AnySubscriber(subscriber)
        members.append(member)
        subscriber.receive(subscription: Handle(member, isLastWord: defect == .forgetsWhoForgets))
    }

    func send(_ value: Int) {
        if ending != nil { return }
        if Thread.current != home {
            if defect == .servesThreadsAtOnce { return deliver(value) }
            if defect == .letsThreadsPass, let last = members.last {
                last.outstanding -= 1
                _ = last.downstream?.receive(value)
                return
            }
        }
        pending.append(value)
        if !isSending { work() }
    }

    private func work() {
        isSending = true
        defer { isSending = false }
        while !pending.isEmpty {
            deliver(pending.removeFirst())
            if defect == .recurses { return pending.isEmpty ? () : work() }
        }
    }

    private func deliver(_ value: Int) {
        for member in members where member.outstanding > .none {
            guard let downstream = member.downstream else { continue }
            member.outstanding -= 1
            member.outstanding += downstream.receive(value)
        }
    }

    func send(completion: Subscribers.Completion<VerificationFailure>) {
        if ending != nil { return }
        ending = completion
        let (members, upstreams) = (members, upstreams)
        self.members = []
        self.upstreams = []
        for upstream in upstreams { upstream.cancel() }
        for member in members { member.downstream.take()?.receive(completion: completion) }
    }

    func send(subscription: any Subscription) {
        upstreams.append(subscription)
        subscription.request(.unlimited)
    }
}
