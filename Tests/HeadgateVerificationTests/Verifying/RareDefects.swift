import Foundation
import Headgate
import HeadgateTesting

/// Publishers with defects that show in few situations.
enum RareDefects {
    /// Delivers one more value when it is cancelled on another thread.
    static var finishesItsSentence: ClosurePublisher {
        ClosurePublisher { visitor in
            let home = Thread.current
            var isLeaving = false
            visitor.receive(
                subscription: ClosureSubscription(
                    visitor,
                    onRequest: { subscription, demand in
                        subscription.outstanding += demand
                        if subscription.isServing { return }
                        subscription.isServing = true
                        while subscription.outstanding > .none, !subscription.values.isEmpty,
                            let downstream = subscription.downstream
                        {
                            subscription.outstanding -= 1
                            if isLeaving { subscription.downstream = nil }
                            subscription.outstanding += downstream.receive(subscription.values.removeFirst())
                        }
                        subscription.isServing = false
                        if subscription.values.isEmpty { subscription.finish() }
                    },
                    onCancel: { subscription in
                        if Thread.current == home { subscription.downstream = nil } else { isLeaving = true }
                    }))
        }
    }

    /// Answers requests of one thread only.
    static var listensToItsThread: ClosurePublisher {
        let home = Thread.current
        return .answering { subscription, demand in
            if Thread.current != home { return }
            subscription.outstanding += demand
            subscription.serve()
        }
    }

    /// Delivers on whatever thread asks.
    static var deliversAnywhere: ClosurePublisher {
        let home = Thread.current
        return .answering { subscription, demand in
            subscription.outstanding += demand
            if Thread.current != home { subscription.isServing = false }
            subscription.serve()
        }
    }

    /// Calls itself after every second delivery that returns demand.
    static var recursesNowAndThen: ClosurePublisher {
        func deliver(_ subscription: ClosureSubscription) {
            var count = 0
            while subscription.outstanding > .none, !subscription.values.isEmpty,
                let downstream = subscription.downstream
            {
                subscription.outstanding -= 1
                subscription.isServing = true
                let answer = downstream.receive(subscription.values.removeFirst())
                subscription.isServing = false
                subscription.outstanding += answer
                count += 1
                if count == 2, answer > .none { return deliver(subscription) }
            }
            if subscription.values.isEmpty { subscription.finish() }
        }
        return ClosurePublisher { visitor in
            visitor.receive(
                subscription: ClosureSubscription(
                    visitor, values: Array(1...40),
                    onRequest: { subscription, demand in
                        subscription.outstanding += demand
                        if !subscription.isServing { deliver(subscription) }
                    }))
        }
    }

    /// Has a value for every demand, and takes everything for fifty.
    static var takesEverythingForFifty: ClosurePublisher {
        ClosurePublisher { visitor in
            visitor.receive(
                subscription: ClosureSubscription(
                    visitor, values: Array(1...3000),
                    onRequest: { subscription, demand in
                        subscription.outstanding += demand == .unlimited ? .max(50) : demand
                        subscription.serve()
                    }))
        }
    }
}

/// Operators with defects that show in few situations.
enum RudeOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    enum Defect {
        case none
        /// Stops when its subscriber releases the subscription.
        case stopsWhenForgotten
        /// Cancels the first subscription when a second one comes.
        case cancelsTheFirstSubscription
        /// Asks a second subscription for values before it cancels it.
        case requestsTheSecondSubscription
        /// Completes the stream after the third value, and still forwards what upstream sends.
        case goesOnAfterItsOwnEnd
        /// Waits for demand before it hands the end on.
        case endWaitsForDemand
        /// Asks upstream for a value when it is asked for none, and keeps that.
        case requestsNone
        /// Asks upstream on when it has been cancelled.
        case requestsBehindCancel
        /// Asks upstream under its lock.
        case requestsUnderALock
        /// Cancels upstream under its lock.
        case cancelsUnderALock
        /// Hands work to its scheduler under its lock.
        case schedulesUnderALock
    }

    static func make(_ upstream: Upstream, _ defect: Defect, _ scheduler: TestScheduler? = nil) -> ClosurePublisher {
        ClosurePublisher { visitor in
            let stage = Stage(visitor, defect, scheduler)
            upstream.subscribe(stage)
        }
    }

    private final class Handle: Subscription {
        let stage: Stage
        init(_ stage: Stage) { self.stage = stage }
        deinit { if stage.defect == .stopsWhenForgotten { stage.cancel() } }
        func request(_ demand: Subscribers.Demand) { stage.request(demand) }
        func cancel() { stage.cancel() }
    }

    private final class Stage: Subscriber {
        typealias Input = Int
        typealias Failure = VerificationFailure

        let defect: Defect
        private var downstream: ClosurePublisher.Visitor?
        private var last: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private var outstanding = Subscribers.Demand.none
        private var passed = 0
        private var lateEnd: Subscribers.Completion<VerificationFailure>?
        private var kept: [Int] = []
        private var cancelled: (any Subscription)?
        private let lock = NSRecursiveLock()
        private let scheduler: TestScheduler?

        init(_ downstream: ClosurePublisher.Visitor, _ defect: Defect, _ scheduler: TestScheduler?) {
            self.defect = defect
            self.scheduler = scheduler
            self.downstream = downstream
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || downstream == nil {
                if defect == .requestsTheSecondSubscription { subscription.request(.max(1)) }
                subscription.cancel()
                if defect == .cancelsTheFirstSubscription { upstream.take()?.cancel() }
                return
            }
            upstream = subscription
            downstream?.receive(subscription: Handle(self))
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if let last { return last.receive(input) }
            guard let downstream else { return .none }
            if defect == .requestsNone, outstanding == .none {
                kept.append(input)
                return .none
            }
            passed += 1
            outstanding -= 1
            let more = downstream.receive(input)
            outstanding += more
            if defect != .goesOnAfterItsOwnEnd || passed < 3 { return more }
            if self.downstream == nil { return .none }
            self.downstream = nil
            upstream.take()?.cancel()
            last = downstream
            downstream.receive(completion: .finished)
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            upstream = nil
            if defect == .endWaitsForDemand, outstanding == .none { lateEnd = completion } else { end(completion) }
        }

        private func end(_ completion: Subscribers.Completion<VerificationFailure>) {
            downstream.take()?.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) {
            // Looks at what it keeps, as others do.
            under(.cancelsUnderALock) {}
            under(.schedulesUnderALock) { scheduler?.schedule {} }
            under(.requestsUnderALock) { makeRequest(demand) }
        }

        private func under(_ defect: Defect, _ body: () -> Void) {
            if self.defect == defect { lock.withLock(body) } else { body() }
        }

        private func makeRequest(_ demand: Subscribers.Demand) {
            if defect == .requestsNone, demand == .none { upstream?.request(.max(1)) }
            cancelled?.request(demand)
            if downstream == nil || demand == .none { return }
            outstanding += demand
            if let lateEnd { end(lateEnd) } else { upstream?.request(demand) }
            while outstanding > .none, !kept.isEmpty { _ = receive(kept.removeFirst()) }
        }

        func cancel() {
            downstream = nil
            last = nil
            if defect == .requestsBehindCancel { cancelled = upstream }
            under(.cancelsUnderALock) { upstream.take()?.cancel() }
        }
    }
}
