import Headgate
import HeadgateTesting

/// Operators, subjects and tickers that drop values without demand, or merge, with one defect each.
enum BadLossyOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        /// Drops the value after every request but the first.
        case dropsBehindARequest
        /// Delivers what it dropped in the place of what comes when it is asked for.
        case deliversWhatItDropped
        /// Ends the stream when what was asked for has come.
        case endsWhenUsedUp
        /// Waits for demand before it hands the end on.
        case endsLate
        /// Puts new demand in the place of `.unlimited`.
        case usesUpUnlimited
        /// Puts new demand in the place of what is outstanding.
        case replacesDemand
    }

    static func latest(_ upstream: Upstream, _ defect: Defect) -> ClosurePublisher {
        ClosurePublisher { upstream.subscribe(Stage($0, defect)) }
    }

    /// Asks upstream for everything, and drops what it is not asked for.
    private final class Stage: Subscriber, Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private let defect: Defect
        private var outstanding = Subscribers.Demand.none
        private var isToDrop = false
        private var dropped: [Int] = []
        private var lateEnd: Subscribers.Completion<VerificationFailure>?
        private var hasRequested = false

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || downstream == nil { return subscription.cancel() }
            upstream = subscription
            downstream?.receive(subscription: self)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            guard let downstream else { return .none }
            if outstanding == .none {
                dropped.append(input)
                return .none
            }
            outstanding -= 1
            if isToDrop {
                isToDrop = false
                return .none
            }
            deliver(defect == .deliversWhatItDropped && !dropped.isEmpty ? dropped.removeLast() : input, to: downstream)
            return .none
        }

        private func deliver(_ value: Int, to downstream: ClosurePublisher.Visitor) {
            let more = downstream.receive(value)
            outstanding = defect == .replacesDemand && more > .none ? more : outstanding + more
            if defect == .endsWhenUsedUp, outstanding == .none, let downstream = self.downstream.take() {
                upstream.take()?.cancel()
                downstream.receive(completion: .finished)
            }
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            upstream = nil
            if defect == .endsLate, outstanding == .none {
                lateEnd = completion
            } else {
                downstream.take()?.receive(completion: completion)
            }
        }

        func request(_ demand: Subscribers.Demand) {
            guard downstream != nil, demand > .none else { return }
            if let lateEnd { return downstream.take()?.receive(completion: lateEnd) ?? () }
            let replaces = defect == .replacesDemand || defect == .usesUpUnlimited && outstanding == .unlimited
            outstanding = replaces ? demand : outstanding + demand
            if hasRequested {
                isToDrop = defect == .dropsBehindARequest
            } else {
                hasRequested = true
                upstream?.request(.unlimited)
            }
        }

        func cancel() {
            downstream = nil
            upstream.take()?.cancel()
        }
    }
}

/// Operators that merge, with one defect each: they forward upstream's values after three of their own.
enum BadMerges {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        /// Hands the newest of upstream's values on first, where several wait.
        case turnsOneSourceRound
        /// Leaves a value out where several wait.
        case losesValues
        /// Hands a value on twice where several wait.
        case repeatsValues
        /// Ends the stream when what was asked for has come.
        case endsWhenUsedUp
    }

    static func merge(_ upstream: Upstream, _ defect: Defect) -> ClosurePublisher {
        ClosurePublisher { upstream.subscribe(Stage($0, defect)) }
    }

    /// Keeps what upstream brings, and takes turns between that and values of its own.
    private final class Stage: Subscriber, Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private let defect: Defect
        private var outstanding = Subscribers.Demand.none
        private var theirs: [Int] = []
        private var own = [100, 200, 300]
        private var isServing = false
        private var isOwnTurn = false
        private var ending: Subscribers.Completion<VerificationFailure>?

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || downstream == nil { return subscription.cancel() }
            upstream = subscription
            downstream?.receive(subscription: self)
            subscription.request(.unlimited)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            theirs.append(input)
            serve()
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            upstream = nil
            ending = completion
            serve()
        }

        private func serve() {
            if isServing { return }
            isServing = true
            while outstanding > .none, let downstream, let value = next() {
                outstanding -= 1
                outstanding += downstream.receive(value)
            }
            isServing = false
            let isUsedUp = defect == .endsWhenUsedUp && outstanding == .none && own.count < 3
            if isUsedUp {
                upstream.take()?.cancel()
                downstream.take()?.receive(completion: .finished)
            } else if let ending, theirs.isEmpty, own.isEmpty {
                downstream.take()?.receive(completion: ending)
            }
        }

        private func next() -> Int? {
            isOwnTurn.toggle()
            if isOwnTurn || theirs.isEmpty, !own.isEmpty { return own.removeFirst() }
            if theirs.isEmpty { return nil }
            if theirs.count > 1 {
                switch defect {
                case .turnsOneSourceRound: return theirs.removeLast()
                case .losesValues: theirs.removeFirst()
                case .repeatsValues where theirs.count == 2: return theirs[0]
                default: break
                }
            }
            return theirs.removeFirst()
        }

        func request(_ demand: Subscribers.Demand) {
            outstanding += demand
            serve()
        }

        func cancel() {
            downstream = nil
            theirs = []
            upstream.take()?.cancel()
        }
    }
}

/// Tickers that tick whether asked or not, with one defect each.
enum BadTickers {
    enum Defect {
        case none
        /// Puts new demand in the place of what is outstanding.
        case replacesDemand
        /// Throws away what the subscriber answers.
        case forgetsAnswers
        /// Puts new demand in the place of `.unlimited`.
        case usesUpUnlimited
        /// Delivers at once in answer to a request for nothing, if anything else is outstanding.
        case answersNone
        /// Ends the stream when what was asked for has come.
        case endsWhenUsedUp
    }

    static func ticker(_ scheduler: TestScheduler, _ defect: Defect) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let ticker = Ticker(visitor, scheduler, defect)
            visitor.receive(subscription: ticker)
            ticker.start()
        }
    }

    private final class Ticker: Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private let scheduler: TestScheduler
        private let defect: Defect
        private var outstanding = Subscribers.Demand.none
        private var token: (any Cancellable)?
        private var ticks = 0

        init(_ downstream: ClosurePublisher.Visitor, _ scheduler: TestScheduler, _ defect: Defect) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.defect = defect
        }

        deinit { token?.cancel() }

        func start() {
            // It may have been cancelled when it was handed out.
            if downstream == nil { return }
            token = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { [weak self] in self?.tick() }
        }

        private func tick() {
            ticks += 1
            guard let downstream, outstanding > .none else { return }
            outstanding -= 1
            let more = downstream.receive(ticks)
            if defect != .forgetsAnswers { outstanding += more }
            if defect == .endsWhenUsedUp, outstanding == .none {
                token?.cancel()
                self.downstream.take()?.receive(completion: .finished)
            }
        }

        func request(_ demand: Subscribers.Demand) {
            if demand == .none { return defect == .answersNone ? tick() : () }
            let replaces = defect == .replacesDemand || defect == .usesUpUnlimited && outstanding == .unlimited
            outstanding = replaces ? demand : outstanding + demand
        }

        func cancel() {
            downstream = nil
            token?.cancel()
        }
    }
}
