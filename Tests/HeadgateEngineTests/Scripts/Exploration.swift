import HeadgateCombine
import HeadgateEngine
import TestSupport
import XCTest

/// Runs every sequence of actions up to a length, except those that begin with one that has come to an end.
///
/// - Parameter run: Runs a sequence from the start, checks it, and answers whether to go on from there.
func explore<Action>(_ actions: [Action], upTo length: Int, _ run: ([Action]) -> Bool) {
    var frontier: [[Action]] = [[]]
    for _ in 0..<length {
        var next: [[Action]] = []
        for sequence in frontier {
            for action in actions where run(sequence + [action]) { next.append(sequence + [action]) }
        }
        frontier = next
    }
}

/// A publisher that goes on talking after the end and after `cancel()`, and keeps a ledger.
final class StubbornPublisher<Output, Failure: Error>: Publisher, Subscription {
    enum Call: Equatable {
        case request(Subscribers.Demand)
        case cancel
    }

    private(set) var calls: [Call] = []
    private(set) var downstream: AnySubscriber<Output, Failure>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        downstream = AnySubscriber(subscriber)
        subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) { calls.append(.request(demand)) }

    func cancel() { calls.append(.cancel) }
}

/// A subscriber that goes on asking and cancelling after the end, and reports what it hears without judging it.
final class Probe<Input: Equatable, Failure: Error>: Subscriber {
    enum Event: Equatable {
        case value(Input)
        case finished
        case failed(String)
    }

    /// What to do inside the delivery of the next value.
    enum Reaction: CaseIterable {
        case nothing, request, answer, cancel
    }

    private(set) var events: [Event] = []
    var reaction = Reaction.nothing
    private var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Input) -> Subscribers.Demand {
        events.append(.value(input))
        switch reaction {
        case .nothing: return .none
        case .request: request()
        case .answer: return .max(1)
        case .cancel: cancel()
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: events.append(.finished)
        case .failure(let failure): events.append(.failed("\(failure)"))
        }
    }

    func request() { subscription?.request(.max(1)) }

    func cancel() { subscription?.cancel() }

    /// Lets go of the subscription, which may hold this.
    func release() { subscription = nil }
}
