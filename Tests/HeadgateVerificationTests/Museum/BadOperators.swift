import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators with one defect each.
enum BadOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case ignoresDemand
        case filtersWithoutRequesting
        case keepsTheLastThree
        case keepsTheNewest
        case losesItsBufferAtTheEnd
        case endOvertakesValues
        case servesTheNewestFirst
        case swallowsCancel
        case endsWithoutCancelling
        case cancelsTooLate
        case swallowsFailure
        case keepsEverything
        case takesSecondSubscription
        case forwardsWhatComesLate
        case cancelsTwice
    }

    static func make(_ defect: Defect, _ upstream: Upstream) -> ClosurePublisher {
        ClosurePublisher { visitor in upstream.subscribe(Stage(visitor, defect)) }
    }

    /// An operator that keeps what is not asked for.
    private final class Stage: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private var downstream: ClosurePublisher.Visitor?
        private var last: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var kept: (any Subscription)?
        private let defect: Defect
        private var buffer: [Int] = []
        private var outstanding = Subscribers.Demand.none
        private var isServing = false
        private var hasEnded = false
        private var passed = 0
        private var cycle: Stage?

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
            if defect == .keepsEverything { cycle = self }
            if defect == .forwardsWhatComesLate { last = downstream }
        }

        private var buffers: Bool {
            switch defect {
            case .keepsTheLastThree, .keepsTheNewest, .losesItsBufferAtTheEnd, .endOvertakesValues,
                .servesTheNewestFirst:
                true
            default: false
            }
        }

        private var dropsValues: Bool { defect == .keepsTheLastThree || defect == .keepsTheNewest }

        func receive(subscription: any Subscription) {
            if upstream != nil, defect != .takesSecondSubscription || hasEnded { return subscription.cancel() }
            upstream = subscription
            if defect == .keepsEverything || defect == .cancelsTwice { kept = subscription }
            downstream?.receive(subscription: self)
            if defect == .ignoresDemand || buffers { subscription.request(.unlimited) }
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if hasEnded { return defect == .forwardsWhatComesLate ? last?.receive(input) ?? .none : .none }
            switch defect {
            case .ignoresDemand:
                return downstream?.receive(input) ?? .none
            case .filtersWithoutRequesting where !input.isMultiple(of: 2):
                return .none
            case _ where buffers:
                buffer.append(input)
                if defect == .keepsTheLastThree { buffer = buffer.suffix(3) }
                if defect == .keepsTheNewest { buffer = [input] }
                serve()
                return .none
            case .endsWithoutCancelling, .cancelsTooLate:
                passed += 1
                if passed < 5 { return downstream?.receive(input) ?? .none }
                _ = downstream?.receive(input)
                guard let downstream else { return .none }
                hasEnded = true
                self.downstream = nil
                downstream.receive(completion: .finished)
                if defect == .cancelsTooLate { upstream?.cancel() }
                upstream = nil
                return .none
            default:
                return downstream?.receive(input) ?? .none
            }
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if defect == .forwardsWhatComesLate { last?.receive(completion: completion) }
            if hasEnded { return }
            hasEnded = true
            upstream = nil
            if defect == .losesItsBufferAtTheEnd { buffer = [] }
            if dropsValues, !buffer.isEmpty { return }
            end(defect == .swallowsFailure ? .finished : completion)
        }

        private func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            let downstream = self.downstream
            if defect != .keepsEverything { self.downstream = nil }
            if defect != .forwardsWhatComesLate { downstream?.receive(completion: completion) }
        }

        private func serve() {
            if isServing { return }
            isServing = true
            while outstanding > .none, !buffer.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(
                    defect == .servesTheNewestFirst ? buffer.removeLast() : buffer.removeFirst())
            }
            isServing = false
            if dropsValues, hasEnded, buffer.isEmpty { end(.finished) }
        }

        func request(_ demand: Subscribers.Demand) {
            if buffers {
                outstanding += demand
                serve()
            } else if defect != .ignoresDemand {
                upstream?.request(demand)
            }
        }

        func cancel() {
            hasEnded = true
            if defect != .keepsEverything { downstream = nil }
            buffer = []
            if defect != .swallowsCancel { upstream?.cancel() }
            if defect == .cancelsTwice { kept?.cancel() }
            upstream = nil
        }
    }
}

extension BadOperators {
    static var exhibits: [Exhibit] {
        func stage(_ name: String, _ fault: String, met place: String, breaks rule: Rule, _ defect: Defect) -> Exhibit {
            Exhibit(name, fault, met: place, breaks: rule) { effort in
                verify(operator: { make(defect, $0) }, [.finite, .fails], effort: effort)
            }
        }
        return [
            stage(
                "operatorIgnoresDemand", "requests everything from upstream, and forwards it regardless of demand",
                met: "operators built from `sink` and a subject", breaks: .valuesAgainstDemand, .ignoresDemand),
            stage(
                "filtersWithoutRequesting", "drops values without requesting replacements",
                met: "hand-made filters", breaks: .demandAddsUp, .filtersWithoutRequesting),
            stage(
                "keepsTheLastThree", "requests everything from upstream, and drops what does not fit its buffer",
                met: "`buffer` of an existing library", breaks: .nothingIsLost, .keepsTheLastThree),
            stage(
                "keepsTheNewest", "requests everything from upstream, and keeps only the newest value",
                met: "bridges to `for await`", breaks: .nothingIsLost, .keepsTheNewest),
            stage(
                "losesItsBufferAtTheEnd", "discards undelivered values on completion",
                met: "a widely copied demand buffer", breaks: .nothingIsLost, .losesItsBufferAtTheEnd),
            stage(
                "endOvertakesValues", "forwards the completion while values are waiting",
                met: "operators that change queues",
                breaks: .nothingIsLost, .endOvertakesValues),
            stage(
                "servesTheNewestFirst", "forwards the newest waiting value first", met: "buffers implemented as stacks",
                breaks: .nothingIsLost, .servesTheNewestFirst),
            stage(
                "swallowsCancel", "does not forward `cancel()`", met: "operators that subscribe by `sink`",
                breaks: .cancelReachesUpstream, .swallowsCancel),
            stage(
                "cancelsTwice", "cancels upstream every time it is cancelled", met: "operators that keep upstream",
                breaks: .cancelReachesUpstream, .cancelsTwice),
            stage(
                "endsWithoutCancelling", "completes after five values without cancelling upstream",
                met: "hand-made prefixes", breaks: .cancelsBeforeEnding, .endsWithoutCancelling),
            stage(
                "cancelsTooLate", "completes after five values, and cancels upstream after the completion",
                met: "hand-made prefixes", breaks: .cancelsBeforeEnding, .cancelsTooLate),
            stage(
                "swallowsFailure", "turns a failure into `.finished`", met: "operators with `try?` in them",
                breaks: .nothingIsLost, .swallowsFailure),
            stage(
                "keepsEverything", "retains its subscriber and upstream's subscription forever",
                met: "operators with a reference cycle", breaks: .releasesReferences, .keepsEverything),
            stage(
                "takesSecondSubscription", "accepts every subscription", met: "operators without state",
                breaks: .secondSubscription, .takesSecondSubscription),
            stage(
                "forwardsWhatComesLate", "forwards events after the completion", met: "operators without state",
                breaks: .ignoresLateEvents, .forwardsWhatComesLate),
        ]
    }
}
