import Headgate
import HeadgateTesting
import HeadgateVerification

/// Puts the values of inner publishers, two for each value of upstream, one after the other, with one defect each.
enum BadFlattening {
    enum Defect {
        case none
        case leavesUpstreamWhenAnInnerFails
        case startsEveryInner
        case losesDemandBetweenInners
    }

    static func make(_ defect: Defect, _ upstream: BadOperators.Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Stage(visitor, defect)) }
    }

    private final class Stage: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var inners: [Inner] = []
        private var innerCount = 0
        private var outstanding = Subscribers.Demand.none
        private var hasUpstreamEnded = false
        private var isDelivering = false

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            guard upstream == nil, !hasUpstreamEnded, let downstream else { return subscription.cancel() }
            upstream = subscription
            downstream.receive(subscription: self)
            subscription.request(defect == .startsEveryInner ? .unlimited : .max(1))
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if hasUpstreamEnded || downstream == nil { return .none }
            let inner = Inner(self)
            inners.append(inner)
            innerCount += 1
            let fails = defect == .leavesUpstreamWhenAnInnerFails && input == 2
            TestPublisher(
                serving: [10 * input, 10 * input + 1], ending: fails ? .failure(.upstreamFailed) : .finished
            ).subscribe(inner)
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if hasUpstreamEnded { return }
            hasUpstreamEnded = true
            upstream = nil
            if case .failure = completion { return end(completion) }
            if inners.isEmpty { end(completion) }
        }

        func innerIsReady(_ inner: Inner) {
            if defect == .startsEveryInner {
                if outstanding == .unlimited { inner.request(.unlimited) } else { requestInTurn() }
            } else if defect != .losesDemandBetweenInners || innerCount == 1 || outstanding == .unlimited {
                inner.request(outstanding)
            }
        }

        private func requestInTurn() {
            if isDelivering { return }
            if outstanding == .unlimited {
                let all = inners
                for inner in all { inner.request(.unlimited) }
                return
            }
            while outstanding > .none, let inner = inners.first(where: { !$0.isRequested }) {
                // Whoever was asked goes to the back.
                inners.removeAll { $0 === inner }
                inners.append(inner)
                inner.isRequested = true
                outstanding -= 1
                inner.request(.max(1))
            }
        }

        func innerDelivers(_ value: Int, _ inner: Inner) -> Subscribers.Demand {
            guard let downstream else { return .none }
            if defect == .startsEveryInner {
                inner.isRequested = false
                isDelivering = true
                outstanding += downstream.receive(value)
                isDelivering = false
                requestInTurn()
                return .none
            }
            outstanding -= 1
            let more = downstream.receive(value)
            outstanding += more
            return more
        }

        func innerEnds(_ inner: Inner, _ completion: Subscribers.Completion<VerificationFailure>) {
            inners.removeAll { $0 === inner }
            if case .failure = completion {
                if defect != .leavesUpstreamWhenAnInnerFails { upstream?.cancel() }
                return end(completion)
            }
            if hasUpstreamEnded, inners.isEmpty { return end(.finished) }
            if defect != .startsEveryInner { upstream?.request(.max(1)) }
        }

        private func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            release()
            downstream.take()?.receive(completion: completion)
        }

        private func release() {
            let inners = self.inners
            self.inners = []
            for inner in inners { inner.cancel() }
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += demand
            if defect == .startsEveryInner { return requestInTurn() }
            inners.first?.request(demand)
        }

        func cancel() {
            downstream = nil
            hasUpstreamEnded = true
            upstream.take()?.cancel()
            release()
        }
    }

    private final class Inner: Subscriber {
        var isRequested = false
        private weak var stage: Stage?
        private var subscription: (any Subscription)?

        init(_ stage: Stage) { self.stage = stage }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            stage?.innerIsReady(self)
        }

        func receive(_ input: Int) -> Subscribers.Demand { stage?.innerDelivers(input, self) ?? .none }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            subscription = nil
            stage?.innerEnds(self, completion)
        }

        func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
        func cancel() { subscription.take()?.cancel() }
    }
}

extension BadFlattening {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(operator: { make(defect, $0) }, .finite, effort: effort)
            }
        }
        return [
            exhibit(
                "leavesUpstreamWhenAnInnerFails", "does not cancel upstream when an inner publisher fails",
                met: "`flatMap` of an existing library", breaks: .cancelsBeforeEnding, .leavesUpstreamWhenAnInnerFails),
            exhibit(
                "startsEveryInner", "starts every inner publisher at once, though one at a time is allowed",
                met: "`flatMap(maxPublishers:)` that requests everything", breaks: .nothingIsLost, .startsEveryInner),
            exhibit(
                "losesDemandBetweenInners", "does not request remaining demand from the next inner publisher",
                met: "hand-made `concatMap`", breaks: .demandAddsUp, .losesDemandBetweenInners),
        ]
    }
}
