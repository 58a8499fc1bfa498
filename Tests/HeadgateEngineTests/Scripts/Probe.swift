import HeadgateCombine

/// A subscriber that goes on requesting and cancelling after the end, and reports what it hears without judging it.
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

    /// Releases the subscription, which may hold this.
    func release() { subscription = nil }
}
