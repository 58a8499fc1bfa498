import Headgate
import HeadgateTesting

/// Operators with one defect each.
enum BadOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case ignoresDemand
        case filtersWithoutAsking
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
        case handsOnWhatComesLate
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
            if defect == .handsOnWhatComesLate { last = downstream }
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
            if hasEnded { return defect == .handsOnWhatComesLate ? last?.receive(input) ?? .none : .none }
            switch defect {
            case .ignoresDemand:
                return downstream?.receive(input) ?? .none
            case .filtersWithoutAsking where !input.isMultiple(of: 2):
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
            if defect == .handsOnWhatComesLate { last?.receive(completion: completion) }
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
            if defect != .handsOnWhatComesLate { downstream?.receive(completion: completion) }
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
                "operatorIgnoresDemand", "asks upstream for everything, and hands on what comes",
                met: "operators made of `sink` and a subject", breaks: .valuesAgainstDemand, .ignoresDemand),
            stage(
                "filtersWithoutAsking", "leaves values out without asking for others in their place",
                met: "hand-made filters", breaks: .demandAddsUp, .filtersWithoutAsking),
            stage(
                "keepsTheLastThree", "asks upstream for everything, and drops what does not fit into its buffer",
                met: "`buffer` of an existing library", breaks: .nothingIsLost, .keepsTheLastThree),
            stage(
                "keepsTheNewest", "asks upstream for everything, and keeps the newest value alone",
                met: "bridges to `for await`", breaks: .nothingIsLost, .keepsTheNewest),
            stage(
                "losesItsBufferAtTheEnd", "forgets at the end what nobody has asked for yet",
                met: "a demand buffer that is copied everywhere", breaks: .nothingIsLost, .losesItsBufferAtTheEnd),
            stage(
                "endOvertakesValues", "hands the end on while values are waiting", met: "operators that hop queues",
                breaks: .nothingIsLost, .endOvertakesValues),
            stage(
                "servesTheNewestFirst", "hands on the newest of the values that wait", met: "buffers that are stacks",
                breaks: .nothingIsLost, .servesTheNewestFirst),
            stage(
                "swallowsCancel", "does not hand `cancel()` on", met: "operators that subscribe by `sink`",
                breaks: .cancelReachesUpstream, .swallowsCancel),
            stage(
                "cancelsTwice", "cancels upstream as often as it is cancelled", met: "operators that keep upstream",
                breaks: .cancelReachesUpstream, .cancelsTwice),
            stage(
                "endsWithoutCancelling", "ends the stream behind five values and leaves upstream running",
                met: "hand-made prefixes", breaks: .cancelsBeforeEnding, .endsWithoutCancelling),
            stage(
                "cancelsTooLate", "ends the stream behind five values, and cancels upstream behind the end",
                met: "hand-made prefixes", breaks: .cancelsBeforeEnding, .cancelsTooLate),
            stage(
                "swallowsFailure", "turns a failure into an end", met: "operators with `try?` in them",
                breaks: .nothingIsLost, .swallowsFailure),
            stage(
                "keepsEverything", "keeps its subscriber and upstream's subscription for ever",
                met: "operators that refer to themselves", breaks: .letsGo, .keepsEverything),
            stage(
                "takesSecondSubscription", "takes every subscription that comes", met: "operators without state",
                breaks: .secondSubscription, .takesSecondSubscription),
            stage(
                "handsOnWhatComesLate", "hands on what comes after the end", met: "operators without state",
                breaks: .ignoresWhatComesLate, .handsOnWhatComesLate),
        ]
    }
}
