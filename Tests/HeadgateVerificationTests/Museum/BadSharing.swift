import Headgate
import HeadgateTesting
import HeadgateVerification

/// Shares an upstream and replays its values, with one defect or, without, as it should be.
final class BadSharing: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure

    enum Defect {
        case none
        case endOvertakesReplay
        case replayIgnoresDemand
        case givesLatecomersNothing
        case neverDisconnects
        case keepsWhoHasCancelled
    }

    private let upstream: TestPublisher<Int, VerificationFailure>
    private let defect: Defect
    private var connection: (any Subscription)?
    private var isConnected = false
    private var values: [Int] = []
    private var ending: Subscribers.Completion<VerificationFailure>?
    private var members: [Member] = []

    init(_ upstream: TestPublisher<Int, VerificationFailure>, _ defect: Defect = .none) {
        self.upstream = upstream
        self.defect = defect
    }

    /// One of five values that somebody has heard already.
    static func warm(_ defect: Defect) -> BadSharing {
        let shared = BadSharing(TestPublisher(serving: [1, 2, 3, 4, 5]), defect)
        shared.subscribe(TestSubscriber(.unlimited))
        return shared
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        let member = Member(self, AnySubscriber(subscriber))
        member.isForgotten = ending != nil && defect == .givesLatecomersNothing
        members.append(member)
        subscriber.receive(subscription: member)
        if defect == .replayIgnoresDemand { member.outstanding += .max(values.count) }
        if isConnected {
            serve(member)
            if defect == .endOvertakesReplay { finish(member) }
        } else {
            isConnected = true
            upstream.subscribe(Entrance(self))
        }
    }

    fileprivate func connect(_ subscription: any Subscription) {
        if connection != nil || ending != nil || members.isEmpty { return subscription.cancel() }
        connection = subscription
        subscription.request(.unlimited)
    }

    fileprivate func take(_ value: Int) {
        if ending != nil { return }
        values.append(value)
        let all = members
        for member in all { serve(member) }
    }

    fileprivate func end(_ completion: Subscribers.Completion<VerificationFailure>) {
        if ending != nil { return }
        ending = completion
        connection = nil
        let all = members
        for member in all { serve(member) }
    }

    fileprivate func serve(_ member: Member) {
        if member.isServing || member.isForgotten { return }
        member.isServing = true
        while member.outstanding > .none, member.next < values.count, !member.isOver {
            member.outstanding -= 1
            member.next += 1
            member.outstanding += member.downstream?.receive(values[member.next - 1]) ?? .none
        }
        member.isServing = false
        if member.next == values.count { finish(member) }
    }

    private func finish(_ member: Member) {
        guard let ending, !member.isOver else { return }
        member.isOver = true
        members.removeAll { $0 === member }
        member.downstream.take()?.receive(completion: ending)
    }

    fileprivate func leave(_ member: Member) {
        if member.isOver { return }
        member.isOver = true
        if defect == .keepsWhoHasCancelled { return disconnectIfAlone() }
        member.downstream = nil
        members.removeAll { $0 === member }
        disconnectIfAlone()
    }

    private func disconnectIfAlone() {
        if defect != .neverDisconnects, members.allSatisfy(\.isOver) { connection.take()?.cancel() }
    }

    fileprivate final class Member: Subscription {
        let shared: BadSharing
        var downstream: ClosurePublisher.Visitor?
        var outstanding = Subscribers.Demand.none
        var next = 0
        var isServing = false
        var isOver = false
        var isForgotten = false

        init(_ shared: BadSharing, _ downstream: ClosurePublisher.Visitor) {
            self.shared = shared
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            if isOver { return }
            outstanding += demand
            shared.serve(self)
        }

        func cancel() { shared.leave(self) }
    }

    private final class Entrance: Subscriber {
        let shared: BadSharing
        init(_ shared: BadSharing) { self.shared = shared }
        func receive(subscription: any Subscription) { shared.connect(subscription) }
        func receive(_ input: Int) -> Subscribers.Demand {
            shared.take(input)
            return .none
        }
        func receive(completion: Subscribers.Completion<VerificationFailure>) { shared.end(completion) }
    }
}

extension BadSharing {
    static var exhibits: [Exhibit] {
        func replay(_ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect) -> Exhibit
        {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(publisher: warm(defect), .finite, effort: effort)
            }
        }
        func share(_ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(operator: { BadSharing($0, defect) }, .finite, effort: effort)
            }
        }
        return [
            replay(
                "endOvertakesReplay", "completes before the replay is delivered", met: "tutorials on `shareReplay`",
                breaks: .exhaustedDemandDoesNotComplete, .endOvertakesReplay),
            replay(
                "replayIgnoresDemand", "replays regardless of demand", met: "tutorials on `shareReplay`",
                breaks: .valuesAgainstDemand, .replayIgnoresDemand),
            replay(
                "givesLatecomersNothing", "delivers neither values nor a completion to late subscribers",
                met: "`share` after a synchronous source", breaks: .completesAfterLastValue,
                .givesLatecomersNothing),
            share(
                "neverDisconnects", "stays connected without subscribers", met: "tutorials on `shareReplay`",
                breaks: .cancelReachesUpstream, .neverDisconnects),
            share(
                "keepsWhoHasCancelled", "retains subscribers that have cancelled", met: "tutorials on `shareReplay`",
                breaks: .releasesReferences, .keepsWhoHasCancelled),
        ]
    }
}
