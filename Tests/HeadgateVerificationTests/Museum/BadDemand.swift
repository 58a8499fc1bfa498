import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that request from upstream what nobody has requested from them, or retain its subscription.
enum BadDemand {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case pullsAtOnce
        case pullsAhead
        case retainsUpstream
    }

    static func make(_ defect: Defect, _ upstream: Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Buffer(visitor, defect)) }
    }

    /// An operator that keeps what it has requested too early, and loses nothing of it.
    private final class Buffer: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var retained: (any Subscription)?
        private let defect: Defect
        private var waiting: [Int] = []
        private var outstanding = Subscribers.Demand.none
        private var hasRequested = false
        private var isServing = false
        private var completion: Subscribers.Completion<VerificationFailure>?

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            guard upstream == nil, completion == nil, let downstream else { return subscription.cancel() }
            upstream = subscription
            downstream.receive(subscription: self)
            if defect == .pullsAtOnce { pull(.max(4)) }
            if defect == .retainsUpstream { retained = subscription }
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            guard downstream != nil else { return .none }
            waiting.append(input)
            serve()
            return downstream == nil || outstanding == .none && defect == .retainsUpstream ? .none : .max(1)
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if downstream == nil || self.completion != nil { return }
            self.completion = completion
            upstream = nil
            serve()
        }

        func request(_ demand: Subscribers.Demand) {
            if demand == .none || downstream == nil { return }
            let wasIdle = outstanding == .none
            outstanding += demand
            serve()
            if defect != .retainsUpstream { return pull(.max(1)) }
            if wasIdle, outstanding > .none, downstream != nil { upstream?.request(.max(1)) }
        }

        func cancel() {
            downstream = nil
            waiting = []
            let upstream = upstream.take()
            upstream?.cancel()
        }

        private func pull(_ demand: Subscribers.Demand) {
            if hasRequested { return }
            hasRequested = true
            upstream?.request(demand)
        }

        private func serve() {
            if isServing { return }
            isServing = true
            while outstanding > .none, !waiting.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(waiting.removeFirst())
            }
            isServing = false
            guard waiting.isEmpty, let completion, let downstream else { return }
            self.downstream = nil
            downstream.receive(completion: completion)
        }
    }
}

extension BadDemand {
    static var exhibits: [Exhibit] {
        [
            Exhibit(
                "pullsAtOnce", "requests four values from upstream as soon as it is connected",
                met: "`flatMap` of reactive libraries", breaks: .requestsOnlyForDemand
            ) { effort in
                verify(operator: { make(.pullsAtOnce, $0) }, .endsWithUpstream, effort: effort)
            },
            Exhibit(
                "pullsAhead", "requests the next value from upstream as soon as one has arrived",
                met: "bridges to `for await`", breaks: .requestsOnlyForDemand
            ) { effort in
                verify(operator: { make(.pullsAhead, $0) }, .endsWithUpstream, effort: effort)
            },
            Exhibit(
                "retainsUpstream", "retains upstream's subscription after the end, as long as its own is retained",
                met: "operators that keep upstream", breaks: .releasesReferences
            ) { effort in
                verify(operator: { make(.retainsUpstream, $0) }, .endsWithUpstream, effort: effort)
            },
        ]
    }
}
