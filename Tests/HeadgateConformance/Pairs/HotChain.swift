import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators over a source that loses what is sent while nothing is requested from it.
///
/// It needs no model: two runs that have to agree are compared, as the contract and the pages of the operators promise.
struct HotChain {
    let stages: [Stage]

    /// A subject that counts what it lost, and when it was subscribed to, requested from and cancelled.
    // Chains run on one thread, but for a cancellation, for which the other one waits.
    final class Source: @unchecked Sendable {
        private let subject = PassthroughSubject<Int, VerificationFailure>()
        private(set) var accepted: [Int] = []
        private(set) var sent = 0
        private(set) var subscriptions = 0
        private(set) var cancellations = 0
        private(set) var isOver = false
        private(set) var requested = Subscribers.Demand.none

        /// Whether somebody receives what is sent.
        var isConnected: Bool { !isOver && subscriptions > cancellations }

        var stream: Stage.Stream {
            subject.handleEvents(
                receiveSubscription: { _ in self.subscriptions += 1 },
                receiveOutput: { self.accepted.append($0) },
                receiveCancel: { self.cancellations += 1 },
                receiveRequest: { self.requested += $0 }
            ).eraseToAnyPublisher()
        }

        func send() {
            sent += 1
            subject.send(sent)
        }

        func finish() {
            isOver = true
            subject.send(completion: .finished)
        }
    }

    /// Calls a closure in each delivery.
    final class Receiver: Subscriber, @unchecked Sendable {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private(set) var subscription: (any Subscription)?
        private(set) var events: [Flow.Event] = []
        private let first: Subscribers.Demand
        var onValue: (Receiver) -> Void

        init(first: Subscribers.Demand, onValue: @escaping (Receiver) -> Void) {
            (self.first, self.onValue) = (first, onValue)
        }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            if first > .none { subscription.request(first) }
        }

        func receive(_ value: Int) -> Subscribers.Demand {
            events.append(.value(value))
            onValue(self)
            return .none
        }

        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            events.append(completion == .finished ? .finished : .failed)
        }

        var isOver: Bool { events.last?.isEnd == true }
    }

    /// How many values are sent until one has to come out.
    private static let attempts = 60

    /// What is wrong, if anything is.
    var complaint: String? {
        lateRequest ?? requestInside ?? cancellation
    }

    var name: String { (["hot"] + stages.map(\.name)).joined(separator: " | ") }

    private func begin(
        _ source: Stage.Stream, first: Subscribers.Demand, onValue: @escaping (Receiver) -> Void = { _ in }
    ) -> (Receiver, TestScheduler) {
        let scheduler = TestScheduler()
        let receiver = Receiver(first: first, onValue: onValue)
        stages.reduce(source) { $1.apply($0, scheduler) }.receive(subscriber: receiver)
        scheduler.advance(by: 1)
        return (receiver, scheduler)
    }

    private func has(_ traits: Stage.Traits) -> Bool { stages.contains { !$0.traits.isDisjoint(with: traits) } }
}

// Conservation: what the source had demand for is delivered, or waits.
extension HotChain {
    /// What is requested late loses nothing for which there was demand: the values that the source delivered come out as
    /// those of a sequence do.
    private var lateRequest: String? {
        // Which values there are depends on the moment at which they are requested.
        if has([.paced, .requestsLater, .takesTime, .sendsByItself, .discards]) { return nil }
        let source = Source()
        let (hot, time) = begin(source.stream, first: .none)
        for _ in 0..<3 { source.send() }
        hot.subscription?.request(.max(2))
        time.advance(by: 1)
        for _ in 0..<2 { source.send() }
        hot.subscription?.request(.unlimited)
        time.advance(by: 1)
        source.send()
        source.finish()
        time.advance(by: 100)
        // Subscribed to again, it delivers each value more than once.
        if source.subscriptions != 1 || source.cancellations > 0 { return nil }
        let cold = source.accepted.publisher.setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
        let (other, otherTime) = begin(cold, first: .none)
        other.subscription?.request(.max(2))
        otherTime.advance(by: 1)
        other.subscription?.request(.unlimited)
        otherTime.advance(by: 100)
        if hot.events == other.events { return nil }
        return "loses values: the subject delivered \(source.accepted), and \(hot.events) came out, not \(other.events)"
    }
}

// Punctuality: what is requested inside a delivery counts when the call returns.
extension HotChain {
    private var requestInside: String? {
        if has([.paced, .requestsLater, .takesTime, .sendsByItself, .discards, .requestsAfterDelivery]) { return nil }
        // What it keeps, or makes of one value at a time, has been requested before; the next is requested when it has been
        // delivered, and that may be a value of its own or of the stage before.
        let isPaced = stages.dropLast().enumerated().contains { index, stage in
            stage.traits.contains(.limits) && (index > 0 || stage.traits.contains(.requestsFirst))
        }
        if isPaced { return nil }
        // Not in the delivery of what comes before the source, which is not subscribed to yet.
        guard let inside = requested(inside: true), let after = requested(inside: false) else { return nil }
        if inside.events == after.events { return lateDemand }
        return "requests late: \(inside.events) if it is requested inside a delivery, \(after.events) if after it"
    }

    /// What is requested inside a delivery is requested from the source before the call returns, but for what would be
    /// requested after the delivery in any case.
    private var lateDemand: String? {
        // What is requested one by one is requested after the value before it.
        if has([.limits, .requestsLateInside]) { return nil }
        guard let (_, atReturn, end) = demand(requesting: .max(5)),
            let (before, _, usualEnd) = demand(requesting: .none),
            atReturn != .unlimited
        else { return nil }
        let late = end - atReturn
        if late <= usualEnd - before { return nil }
        return "requests late: \(late) when the delivery has returned in which it was requested"
    }

    /// What has been requested from the source when the first value is delivered, when more has been requested inside that
    /// delivery, and when it has returned.
    private func demand(
        requesting more: Subscribers.Demand
    ) -> (before: Subscribers.Demand, atReturn: Subscribers.Demand, end: Subscribers.Demand)? {
        let source = Source()
        var found: (before: Subscribers.Demand, atReturn: Subscribers.Demand)?
        let (receiver, time) = begin(source.stream, first: .max(1)) { receiver in
            guard found == nil, source.isConnected else { return }
            let before = source.requested
            receiver.subscription?.request(more)
            found = (before, source.requested)
        }
        for _ in 0..<HotChain.attempts where receiver.events.isEmpty {
            source.send()
            time.advance(by: 1)
        }
        guard let found, source.subscriptions == 1 else { return nil }
        return (found.before, found.atReturn, source.requested)
    }

    /// Requests more with the first value, and sends: inside its delivery, or after that.
    ///
    /// - Returns: What received the values; `nil` if nobody would have received those that were sent then.
    private func requested(inside: Bool) -> Receiver? {
        let source = Source()
        var hasRequested = false
        var isConnected = true
        func goOn(_ receiver: Receiver) {
            hasRequested = true
            isConnected = source.isConnected
            receiver.subscription?.request(.max(5))
            for _ in 0..<3 { source.send() }
        }
        let (receiver, time) = begin(source.stream, first: .max(1)) { receiver in
            if inside, !hasRequested { goOn(receiver) }
        }
        for _ in 0..<HotChain.attempts where receiver.events.isEmpty {
            source.send()
            time.advance(by: 1)
        }
        if receiver.events.isEmpty { return nil }
        if !hasRequested { goOn(receiver) }
        time.advance(by: 1)
        for _ in 0..<3 { source.send() }
        source.finish()
        time.advance(by: 100)
        receiver.subscription?.request(.unlimited)
        time.advance(by: 100)
        // One that subscribes again does so after the delivery, and misses what was sent in it.
        return isConnected && source.subscriptions == 1 ? receiver : nil
    }
}

// Cancellation reaches the source before `cancel()` returns (rule 5.1).
extension HotChain {
    private var cancellation: String? {
        if has([.requestsLater, .cancelsLater]) { return nil }
        for (elsewhere, place) in [(false, "inside a delivery"), (true, "on another thread during a delivery")] {
            let source = Source()
            var complaint: String?
            let (receiver, time) = begin(source.stream, first: .unlimited) { receiver in
                receiver.onValue = { _ in }
                if !source.isConnected { return }
                if elsewhere {
                    onAnotherThread { receiver.subscription?.cancel() }
                } else {
                    receiver.subscription?.cancel()
                }
                if source.cancellations < source.subscriptions {
                    complaint = "cancel() \(place) returns before it has reached the source"
                }
            }
            for _ in 0..<HotChain.attempts where receiver.events.isEmpty {
                source.send()
                time.advance(by: 1)
            }
            source.finish()
            time.advance(by: 100)
            receiver.subscription?.cancel()
            if let complaint { return complaint }
        }
        return nil
    }
}
