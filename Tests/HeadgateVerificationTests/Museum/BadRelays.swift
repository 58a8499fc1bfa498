import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that forward values from a buffer, and request the wrong number of values or at the wrong time.
enum BadRelays {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        case servesAtMostTen
        case requestsBeforeHandingDown
        case forgetsEarlyCancel
        case failureWaitsForDemand
    }

    static func make(_ defect: Defect, _ upstream: Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Relay(visitor, defect)) }
    }

    private final class Relay: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var buffer: [Int] = []
        private var outstanding = Subscribers.Demand.none
        private var ending: Subscribers.Completion<VerificationFailure>?
        private var isServing = false
        private var isReady = false

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            if isReady { return subscription.cancel() }
            if defect == .requestsBeforeHandingDown {
                isReady = true
                upstream = subscription
                subscription.request(.unlimited)
                downstream?.receive(subscription: self)
                return
            }
            isReady = true
            if defect != .forgetsEarlyCancel { upstream = subscription }
            downstream?.receive(subscription: self)
            if defect == .forgetsEarlyCancel { upstream = subscription }
            upstream?.request(.unlimited)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if upstream == nil { return .none }
            buffer.append(input)
            serve()
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if upstream == nil { return }
            upstream = nil
            ending = completion
            serve()
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += defect == .servesAtMostTen ? Swift.min(demand, .max(10)) : demand
            serve()
        }

        func cancel() {
            downstream = nil
            buffer = []
            upstream.take()?.cancel()
        }

        private func serve() {
            if isServing { return }
            isServing = true
            while outstanding > .none, !buffer.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(buffer.removeFirst())
            }
            isServing = false
            guard buffer.isEmpty, let ending else { return }
            if defect == .failureWaitsForDemand, case .failure = ending, outstanding == .none { return }
            downstream.take()?.receive(completion: ending)
        }
    }
}

extension BadRelays {
    static var exhibits: [Exhibit] {
        func relay(_ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(operator: { make(defect, $0) }, .endsWithUpstream, effort: effort)
            }
        }
        return [
            relay(
                "servesAtMostTen", "delivers at most ten values per request", met: "operators with a batch size",
                breaks: .demandAddsUp, .servesAtMostTen),
            relay(
                "requestsBeforeHandingDown", "requests from upstream before handing its subscription downstream",
                met: "operators with a buffer", breaks: .oneSubscription, .requestsBeforeHandingDown),
            relay(
                "operatorForgetsEarlyCancel", "stores upstream's subscription only after handing its own downstream",
                met: "operators with a buffer", breaks: .cancelReachesUpstream, .forgetsEarlyCancel),
            relay(
                "failureWaitsForDemand", "holds upstream's failure until a value is requested",
                met: "operators with a buffer", breaks: .oneCompletion, .failureWaitsForDemand),
        ]
    }
}
