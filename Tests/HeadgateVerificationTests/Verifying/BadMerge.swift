import Headgate
import HeadgateTesting

/// A merge of two upstreams, asked one by one in turns, that does something wrong with the second.
struct BadMerge: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        /// Leaves the first upstream running when the second fails.
        case leavesTheFirstRunning
        /// Finishes where the second upstream fails.
        case swallowsItsFailure
        /// Requests unlimited values from the second upstream, and forwards them.
        case ignoresDemandForIt
        /// Cancels the first upstream alone.
        case forgetsToCancelIt
        /// Takes a second subscription of the second upstream.
        case takesItsSecondSubscription
        /// Forwards what the second upstream sends after its completion.
        case forwardsWhatItSaysLate
    }

    let upstreams: [Upstream]
    let defect: Defect

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        let merge = Merge(AnySubscriber(subscriber), defect)
        let sides = upstreams.indices.map { Side(merge, isSecond: $0 == 1) }
        merge.sides = sides
        for (upstream, side) in Swift.zip(upstreams, sides) { upstream.subscribe(side) }
        subscriber.receive(subscription: merge)
        merge.begin()
    }

    private final class Merge: Subscription {
        let defect: Defect
        var downstream: ClosurePublisher.Visitor?
        var sides: [Side] = []
        private var outstanding = Subscribers.Demand.none
        private var kept: [Int] = []

        /// Until the subscription has been handed down, nothing is delivered.
        private var isServing = true

        private var ending: Subscribers.Completion<VerificationFailure>?

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect) {
            self.downstream = downstream
            self.defect = defect
        }

        func take(_ value: Int) {
            kept.append(value)
            serve()
        }

        func pass(_ value: Int) { _ = downstream?.receive(value) }

        func end(_ completion: Subscribers.Completion<VerificationFailure>, isSecond: Bool) {
            if case .failure = completion {
                ending = isSecond && defect == .swallowsItsFailure ? .finished : completion
                kept = []
                if !(isSecond && defect == .leavesTheFirstRunning) { stop() }
            } else if sides.allSatisfy(\.hasEnded) {
                ending = .finished
            }
            serve()
        }

        func request(_ demand: Subscribers.Demand) {
            outstanding += demand
            serve()
        }

        func begin() {
            isServing = false
            serve()
        }

        /// Each side has one value under way at the most.
        func serve() {
            if isServing || downstream == nil { return }
            isServing = true
            while outstanding > .none, !kept.isEmpty, let downstream {
                outstanding -= 1
                outstanding += downstream.receive(kept.removeFirst())
                for side in sides { side.makeRequest() }
            }
            if outstanding > .none, kept.isEmpty { for side in sides { side.makeRequest() } }
            isServing = false
            if !kept.isEmpty, outstanding > .none { return serve() }
            guard kept.isEmpty, let ending, let downstream = downstream.take() else { return }
            sides = []
            downstream.receive(completion: ending)
        }

        func cancel() {
            downstream = nil
            kept = []
            stop()
            sides = []
        }

        private func stop() {
            for side in sides where !(side.isSecond && defect == .forgetsToCancelIt) { side.stop() }
        }
    }

    private final class Side: Subscriber {
        let merge: Merge
        let isSecond: Bool
        private(set) var hasEnded = false
        private var upstream: (any Subscription)?
        private var isWaiting = false

        init(_ merge: Merge, isSecond: Bool) {
            self.merge = merge
            self.isSecond = isSecond
        }

        private func has(_ defect: Defect) -> Bool { isSecond && merge.defect == defect }

        func receive(subscription: any Subscription) {
            if hasEnded || upstream != nil, !has(.takesItsSecondSubscription) { return subscription.cancel() }
            upstream = subscription
            if has(.ignoresDemandForIt) { subscription.request(.unlimited) }
        }

        func makeRequest() {
            if isWaiting || has(.ignoresDemandForIt) { return }
            guard let upstream else { return }
            isWaiting = true
            upstream.request(.max(1))
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if hasEnded, !has(.forwardsWhatItSaysLate) { return .none }
            isWaiting = false
            if has(.ignoresDemandForIt) { merge.pass(input) } else { merge.take(input) }
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            if hasEnded { return }
            hasEnded = true
            upstream = nil
            merge.end(completion, isSecond: isSecond)
        }

        func stop() {
            hasEnded = true
            upstream.take()?.cancel()
        }
    }
}
