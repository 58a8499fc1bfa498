import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that join an upstream with another, with one defect each.
enum BadJoining {
    enum Defect {
        case none
        case leavesTheOtherRunning
        case keepsBothSides
    }

    /// Adds up the values of upstream and the hundreds of a publisher of two.
    static func zip(_ defect: Defect, _ upstream: BadOperators.Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let pairing = Pairing(visitor, defect)
            let sides = pairing.sides
            upstream.subscribe(sides[0])
            TestPublisher(serving: [100, 200]).subscribe(sides[1])
            visitor.receive(subscription: pairing)
            pairing.begin()
        }
    }

    private final class Pairing: Subscription {
        private let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var outstanding = Subscribers.Demand.none

        /// Until the subscription has been handed down, nothing is delivered.
        private var isServing = true
        private var ending: Subscribers.Completion<VerificationFailure>?
        private(set) var sides: [Side] = []

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
            sides = [Side(self), Side(self)]
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += demand
            let sides = self.sides
            for side in sides { side.makeRequest(for: demand) }
        }

        func sideIsReady(_ side: Side) { side.makeRequest(for: outstanding) }

        func begin() {
            isServing = false
            pairUp()
        }

        func pairUp() {
            if isServing { return }
            isServing = true
            while ending == nil, let downstream, sides.allSatisfy({ !$0.values.isEmpty }) {
                let sum = sides.map { $0.values.removeFirst() }.reduce(0, +)
                outstanding -= 1
                let more = downstream.receive(sum)
                if more > .none { request(more) }
                if sides.contains(where: { $0.hasEnded && $0.values.isEmpty }) { ending = ending ?? .finished }
            }
            isServing = false
            if let ending { end(ending) }
        }

        /// Takes note that a side has ended.
        func sideEnds(_ side: Side, _ completion: Subscribers.Completion<VerificationFailure>) {
            if case .failure = completion { ending = completion }
            if side.values.isEmpty { ending = ending ?? completion }
            pairUp()
        }

        private func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            let downstream = self.downstream.take()
            release(cancelling: defect != .leavesTheOtherRunning)
            downstream?.receive(completion: completion)
        }

        func cancel() {
            downstream = nil
            release(cancelling: true)
        }

        private func release(cancelling: Bool) {
            let sides = self.sides
            if defect != .keepsBothSides { self.sides = [] }
            for side in sides { side.release(cancelling: cancelling, keeping: defect == .keepsBothSides) }
        }
    }

    private final class Side: Subscriber {
        typealias Input = Int
        typealias Failure = VerificationFailure

        var values: [Int] = []
        private(set) var hasEnded = false
        private var isOver = false
        private var pairing: Pairing?
        private var subscription: (any Subscription)?

        init(_ pairing: Pairing) { self.pairing = pairing }

        func receive(subscription: any Subscription) {
            if isOver || self.subscription != nil { return subscription.cancel() }
            self.subscription = subscription
            pairing?.sideIsReady(self)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if hasEnded || isOver { return .none }
            values.append(input)
            pairing?.pairUp()
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if hasEnded || isOver { return }
            hasEnded = true
            pairing?.sideEnds(self, completion)
        }

        func makeRequest(for demand: Subscribers.Demand) { if !hasEnded, !isOver { subscription?.request(demand) } }

        func release(cancelling: Bool, keeping: Bool) {
            let wasRunning = !hasEnded && !isOver
            isOver = true
            let subscription = self.subscription
            if !keeping {
                pairing = nil
                self.subscription = nil
            }
            if cancelling, wasRunning { subscription?.cancel() }
        }
    }

    /// Subscribes again when upstream fails, and requests nothing then.
    static func retry(
        forgetsDemand: Bool, _ upstream: TestPublisher<Int, VerificationFailure>
    ) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let attempts = Attempts(visitor, upstream, forgetsDemand: forgetsDemand)
            upstream.subscribe(attempts)
        }
    }

    private final class Attempts: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let source: TestPublisher<Int, VerificationFailure>
        private let forgetsDemand: Bool
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var attempt = 0
        private var outstanding = Subscribers.Demand.none

        init(
            _ downstream: ClosurePublisher.Visitor, _ source: TestPublisher<Int, VerificationFailure>,
            forgetsDemand: Bool
        ) {
            self.downstream = downstream
            self.source = source
            self.forgetsDemand = forgetsDemand
        }

        func receive(subscription: any Subscription) {
            guard upstream == nil, attempt < 2, let downstream else { return subscription.cancel() }
            upstream = subscription
            attempt += 1
            if attempt == 1 { return downstream.receive(subscription: self) }
            if !forgetsDemand || outstanding == .unlimited { subscription.request(outstanding) }
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            guard upstream != nil, let downstream else { return .none }
            outstanding -= 1
            let more = downstream.receive(input)
            outstanding += more
            return more
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            guard upstream.take() != nil else { return }
            if case .failure = completion, attempt == 1 { return source.subscribe(self) }
            attempt = 2
            downstream.take()?.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += demand
            upstream?.request(demand)
        }

        func cancel() {
            downstream = nil
            upstream.take()?.cancel()
        }
    }

    /// Forwards the odd values and then the even ones, of which it keeps two unless demand is unlimited.
    static func group(_ upstream: BadOperators.Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Grouping(visitor)) }
    }

    private final class Grouping: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var waiting: [Int] = []
        private var outstanding = Subscribers.Demand.none
        private var ending: Subscribers.Completion<VerificationFailure>?
        private var isServing = false

        init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }

        func receive(subscription: any Subscription) {
            guard upstream == nil, ending == nil, let downstream else { return subscription.cancel() }
            upstream = subscription
            downstream.receive(subscription: self)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            guard ending == nil, let downstream else { return .none }
            if input.isMultiple(of: 2) {
                waiting.append(input)
                return waiting.count < 2 ? .max(1) : .none
            }
            outstanding -= 1
            let more = downstream.receive(input)
            outstanding += more
            return more
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if ending != nil || downstream == nil { return }
            ending = completion
            upstream = nil
            if case .failure = completion { waiting = [] }
            serve()
        }

        private func serve() {
            guard let ending, !isServing else { return }
            isServing = true
            while outstanding > .none, !waiting.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(waiting.removeFirst())
            }
            isServing = false
            if waiting.isEmpty { downstream.take()?.receive(completion: ending) }
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += demand
            if ending != nil { return serve() }
            if waiting.count < 2 || demand == .unlimited { upstream?.request(demand) }
        }

        func cancel() {
            downstream = nil
            waiting = []
            upstream.take()?.cancel()
        }
    }
}

extension BadJoining {
    static var exhibits: [Exhibit] {
        [
            Exhibit(
                "zipLeavesTheOtherRunning", "does not cancel one side when the other has completed",
                met: "hand-made `zip`",
                breaks: .cancelsBeforeEnding
            ) { effort in verify(operator: { zip(.leavesTheOtherRunning, $0) }, .finite, effort: effort) },
            Exhibit(
                "zipKeepsBothSides", "retains both sides, which retain it, after the stream has ended",
                met: "hand-made `zip`", breaks: .releasesReferences
            ) { effort in verify(operator: { zip(.keepsBothSides, $0) }, .finite, effort: effort) },
            Exhibit(
                "retryLosesDemand", "does not request remaining demand from the next attempt", met: "hand-made retries",
                breaks: .demandAddsUp
            ) { effort in
                verify(
                    operator: { upstream, _ in retry(forgetsDemand: true, upstream) }, upstream: [1, 2, 3],
                    failure: .upstreamFailed, [.finite, .fails], effort: effort)
            },
            Exhibit(
                "groupsWaitForEachOther",
                "stops requesting from upstream when a group that is not yet consumed is full",
                met: "`groupBy` before a bounded `flatMap`", breaks: .demandAddsUp
            ) { effort in verify(operator: { group($0) }, .finite, effort: effort) },
        ]
    }
}
