import Headgate
import HeadgateTesting

/// Operators that work with a scheduler, with one defect each.
enum BadTimedOperators {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    /// What goes wrong where values hop to a scheduler.
    enum Hop {
        case none
        /// Delivers what is under way though the stream was cancelled meanwhile.
        case deliversAfterCancel
        /// Forgets a request that is made while a value is under way.
        case forgetsRequests
    }

    /// What goes wrong where a deadline is kept.
    enum Deadline {
        case none
        /// Ends the stream and leaves upstream running.
        case leavesUpstreamRunning
        /// Forwards values after the deadline.
        case goesOnAfterTheEnd
        /// Looks at the deadline again and again, for ever.
        case keepsLooking
        /// Throws away every second request.
        case forgetsRequests
        /// Never hands the end of upstream on, and leaves the stream to its deadline.
        case swallowsTheEnd
    }

    static func hop(_ upstream: Upstream, _ scheduler: TestScheduler, _ defect: Hop) -> ClosurePublisher {
        ClosurePublisher { upstream.subscribe(HopStage($0, scheduler, defect)) }
    }

    static func deadline(_ upstream: Upstream, _ scheduler: TestScheduler, _ defect: Deadline) -> ClosurePublisher {
        ClosurePublisher { upstream.subscribe(DeadlineStage($0, scheduler, defect)) }
    }

    /// Delivers every value a second later.
    private final class HopStage: Subscriber, Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private let scheduler: TestScheduler
        private let defect: Hop
        private var underWay = 0

        init(_ downstream: ClosurePublisher.Visitor, _ scheduler: TestScheduler, _ defect: Hop) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.defect = defect
        }

        private func later(_ action: @escaping () -> Void) {
            scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1)), action)
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || downstream == nil { return subscription.cancel() }
            upstream = subscription
            downstream?.receive(subscription: self)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if downstream == nil { return .none }
            underWay += 1
            let kept = defect == .deliversAfterCancel ? downstream : nil
            later {
                self.underWay -= 1
                if let more = (kept ?? self.downstream)?.receive(input), more > .none { self.upstream?.request(more) }
            }
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            upstream = nil
            later { self.downstream.take()?.receive(completion: completion) }
        }

        func request(_ demand: Subscribers.Demand) {
            if defect == .forgetsRequests, underWay > 0 { return }
            upstream?.request(demand)
        }

        func cancel() {
            downstream = nil
            upstream.take()?.cancel()
        }
    }

    /// Ends the stream a second after its beginning.
    private final class DeadlineStage: Subscriber, Subscription {
        private var downstream: ClosurePublisher.Visitor?
        private var last: ClosurePublisher.Visitor?
        private var upstream: (any Subscription)?
        private let scheduler: TestScheduler
        private let defect: Deadline
        private var timer: (any Cancellable)?
        private var requests = 0

        init(_ downstream: ClosurePublisher.Visitor, _ scheduler: TestScheduler, _ defect: Deadline) {
            self.downstream = downstream
            self.scheduler = scheduler
            self.defect = defect
            if defect == .goesOnAfterTheEnd { last = downstream }
        }

        private func endByTime() {
            guard let downstream = downstream.take() else { return }
            if defect != .leavesUpstreamRunning, defect != .goesOnAfterTheEnd { upstream.take()?.cancel() }
            downstream.receive(completion: .finished)
        }

        func receive(subscription: any Subscription) {
            if upstream != nil || downstream == nil { return subscription.cancel() }
            upstream = subscription
            downstream?.receive(subscription: self)
            let date = scheduler.now.advanced(by: .seconds(1))
            if defect == .keepsLooking {
                timer = scheduler.schedule(after: date, interval: .seconds(1)) { self.endByTime() }
            } else {
                scheduler.schedule(after: date) { [weak self] in self?.endByTime() }
            }
        }

        func receive(_ input: Int) -> Subscribers.Demand { (downstream ?? last)?.receive(input) ?? .none }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            upstream = nil
            if defect != .swallowsTheEnd { downstream.take()?.receive(completion: completion) }
        }

        func request(_ demand: Subscribers.Demand) {
            requests += 1
            if defect == .forgetsRequests, requests.isMultiple(of: 2) { return }
            upstream?.request(demand)
        }

        func cancel() {
            downstream = nil
            last = nil
            upstream.take()?.cancel()
        }
    }
}
