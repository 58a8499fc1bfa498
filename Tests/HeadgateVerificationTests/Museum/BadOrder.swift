import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that subscribe, and hand their subscription downstream, in the wrong order.
enum BadOrder {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        case handsDownFirst
        case subscribesAtTheFirstRequest
        case opensAfterHandingDown
    }

    static func make(_ defect: Defect, _ upstream: Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let relay = Relay(visitor, defect, upstream)
            switch defect {
            case .handsDownFirst:
                visitor.receive(subscription: relay)
                upstream.subscribe(relay)
            case .subscribesAtTheFirstRequest: visitor.receive(subscription: relay)
            default: upstream.subscribe(relay)
            }
        }
    }

    private final class Relay: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var publisher: Upstream?
        private var upstream: (any Subscription)?
        private var pending = Subscribers.Demand.none
        private var isOpen = false
        private var isOver = false
        private var hasHandedDown: Bool

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect, _ publisher: Upstream) {
            self.downstream = downstream
            self.defect = defect
            self.publisher = publisher
            hasHandedDown = defect == .handsDownFirst || defect == .subscribesAtTheFirstRequest
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || isOver { return subscription.cancel() }
            upstream = subscription
            isOpen = defect != .opensAfterHandingDown
            if !hasHandedDown {
                hasHandedDown = true
                downstream?.receive(subscription: self)
            }
            isOpen = true
            if pending > .none { upstream?.request(pending) }
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if !isOpen { return .none }
            return downstream?.receive(input) ?? .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            isOver = true
            isOpen = false
            upstream = nil
            downstream.take()?.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) {
            if isOver { return }
            if let publisher = publisher.take(), defect == .subscribesAtTheFirstRequest, demand > .none {
                pending += demand
                return publisher.subscribe(self)
            }
            if let upstream { upstream.request(demand) } else { pending += demand }
        }

        func cancel() {
            isOver = true
            isOpen = false
            downstream = nil
            publisher = nil
            upstream.take()?.cancel()
        }
    }
}

extension BadOrder {
    static var exhibits: [Exhibit] {
        func relay(_ name: String, _ fault: String, met place: String, _ defect: Defect) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: .subscribesUpstreamFirst) { effort in
                verify(operator: { make(defect, $0) }, .endsWithUpstream, effort: effort)
            }
        }
        return [
            relay(
                "handsDownFirst", "hands its subscription downstream before it subscribes upstream",
                met: "tutorials on custom operators", .handsDownFirst),
            relay(
                "subscribesAtTheFirstRequest", "subscribes upstream when values are requested",
                met: "operators that are lazy", .subscribesAtTheFirstRequest),
            relay(
                "opensAfterHandingDown", "drops what upstream sends while its subscriber receives the subscription",
                met: "operators with a buffer", .opensAfterHandingDown),
        ]
    }
}
