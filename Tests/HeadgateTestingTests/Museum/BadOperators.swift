import Headgate
import HeadgateTesting

/// Operators with one defect each.
enum BadOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        /// Asks upstream for everything, and hands on what comes.
        case ignoresDemand
        /// Leaves values out without asking for others in their place.
        case filtersWithoutAsking
        /// Asks upstream for everything, and keeps the last three values until they are asked for.
        case keepsTheLastThree
        /// Keeps values until they are asked for, and forgets them when upstream completes.
        case losesItsBufferAtTheEnd
        /// Hands the end on while values are kept.
        case endOvertakesValues
        /// Keeps values until they are asked for, and hands the newest on first.
        case servesTheNewestFirst
        /// Does not hand `cancel()` on.
        case swallowsCancel
        /// Ends the stream behind five values and leaves upstream running.
        case endsWithoutCancelling
        /// Ends the stream behind five values, and cancels upstream behind the end.
        case cancelsTooLate
        /// Turns a failure into an end.
        case swallowsFailure
        /// Keeps its subscriber, and the subscription of upstream, for ever.
        case keepsEverything
        /// Takes every subscription that comes.
        case takesSecondSubscription
        /// Hands on what comes after the end.
        case handsOnWhatComesLate
        /// Cancels upstream as often as it is cancelled.
        case cancelsTwice
    }

    static func make(_ defect: Defect, _ upstream: Upstream) -> Exhibit {
        Exhibit { visitor in upstream.subscribe(Stage(visitor, defect)) }
    }

    /// An operator that keeps what is not asked for.
    private final class Stage: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private var downstream: Exhibit.Visitor?
        private var last: Exhibit.Visitor?
        private var upstream: (any Subscription)?
        private var kept: (any Subscription)?
        private let defect: Defect
        private var buffer: [Int] = []
        private var outstanding = Subscribers.Demand.none
        private var isServing = false
        private var hasEnded = false
        private var passed = 0
        private var cycle: Stage?

        init(_ downstream: Exhibit.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
            if defect == .keepsEverything { cycle = self }
            if defect == .handsOnWhatComesLate { last = downstream }
        }

        private var buffers: Bool {
            switch defect {
            case .keepsTheLastThree, .losesItsBufferAtTheEnd, .endOvertakesValues, .servesTheNewestFirst: true
            default: false
            }
        }

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
            case .keepsTheLastThree, .losesItsBufferAtTheEnd, .endOvertakesValues, .servesTheNewestFirst:
                buffer.append(input)
                if defect == .keepsTheLastThree { buffer = buffer.suffix(3) }
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
            if defect == .keepsTheLastThree, !buffer.isEmpty { return }
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
            if defect == .keepsTheLastThree, hasEnded, buffer.isEmpty { end(.finished) }
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
