import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that count time, with one defect each.
enum BadTiming {
    enum Defect {
        /// Adds up what comes within a second.
        case none
        case overruns
        case hangs
        case leavesTheClockRunning
        case swallowsFailure
        case keepsTheLastValue
    }

    static func make(
        _ defect: Defect, _ upstream: BadOperators.Upstream, _ scheduler: TestScheduler
    ) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Collecting(visitor, scheduler, defect)) }
    }

    private final class Collecting: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let defect: Defect
        private let scheduler: TestScheduler
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var clock: (any Cancellable)?
        private var sum: Int?
        private var isDue = false
        private var isServing = false
        private var outstanding = Subscribers.Demand.none
        private var ending: Subscribers.Completion<VerificationFailure>?

        init(_ downstream: ClosurePublisher.Visitor, _ scheduler: TestScheduler, _ defect: Defect) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            guard upstream == nil, ending == nil, let downstream else { return subscription.cancel() }
            upstream = subscription
            downstream.receive(subscription: self)
            subscription.request(.unlimited)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if ending != nil || downstream == nil { return .none }
            sum = (sum ?? 0) + input
            if defect == .keepsTheLastValue { return passFirst(input) }
            if clock == nil {
                let date = scheduler.now.advanced(by: 1)
                clock = scheduler.schedule(after: date, interval: 1) { [weak self] in self?.ring() }
            }
            return .none
        }

        /// Lets a value pass, and keeps those that come within a second of it.
        private func passFirst(_ input: Int) -> Subscribers.Demand {
            if scheduler.now < quietUntil { return .none }
            quietUntil = scheduler.now.advanced(by: 1)
            return downstream?.receive(input) ?? .none
        }

        private var quietUntil = TestTime.zero

        private func ring() {
            if defect != .leavesTheClockRunning { clock.take()?.cancel() }
            isDue = sum != nil
            if defect == .hangs, outstanding == .none { isDue = false }
            serve()
        }

        private func serve() {
            if isServing { return }
            if isDue, outstanding > .none || defect == .overruns, let sum, let downstream {
                self.sum = nil
                isDue = false
                outstanding -= 1
                isServing = true
                outstanding += downstream.receive(sum)
                isServing = false
            }
            guard let ending, sum == nil else { return }
            if defect != .leavesTheClockRunning { clock.take()?.cancel() }
            downstream.take()?.receive(completion: ending)
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if ending != nil || downstream == nil { return }
            upstream = nil
            ending = completion
            if case .failure = completion {
                sum = nil
                if defect == .swallowsFailure { ending = .finished }
            }
            if defect == .keepsTheLastValue { sum = nil }
            serve()
        }

        func request(_ demand: Subscribers.Demand) {
            if downstream == nil { return }
            outstanding += demand
            serve()
        }

        func cancel() {
            downstream = nil
            sum = nil
            if defect != .leavesTheClockRunning { clock.take()?.cancel() }
            upstream.take()?.cancel()
        }
    }
}

extension BadTiming {
    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect
        ) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(operator: { make(defect, $0, $1) }, [.finite, .fails], effort: effort)
            }
        }
        return [
            exhibit(
                "batchesOverrun", "forwards a batch when it is due, regardless of demand",
                met: "hand-made `bufferTimeout`", breaks: .valuesAgainstDemand, .overruns),
            exhibit(
                "batchesHang", "discards a batch that falls due before it is requested",
                met: "hand-made `bufferTimeout`", breaks: .demandAddsUp, .hangs),
            exhibit(
                "leavesTheClockRunning", "leaves its clock running after the stream has ended",
                met: "hand-made timed operators",
                breaks: .releasesReferences, .leavesTheClockRunning),
            exhibit(
                "timedSwallowsFailure", "finishes where upstream fails", met: "`debounce` of an existing library",
                breaks: .nothingIsLost, .swallowsFailure),
            Exhibit(
                "keepsTheLastValue", "holds the last value of an interval until another arrives",
                met: "`throttle` of an existing library", fails: "step 5: expected 2, but received nothing"
            ) { fail in
                let scheduler = TestScheduler()
                let source = BadOperators.Upstream()
                StepVerifier(make(.keepsTheLastValue, source, scheduler), demand: .unlimited, scheduler: scheduler)
                    .send(1, through: source)
                    .expect(1)
                    .send(2, through: source)
                    .advance(by: .seconds(2))
                    .expect(2)
                    .verify(fail: fail)
            },
        ]
    }
}
