import HeadgateCore
import ModelKit

/// A value with contents, which its sender writes before it sends it.
final class Payload {
    let id: Int
    let cell = ModelCell(0, "the contents of a value")

    init(_ id: Int) { self.id = id }

    static func make(_ id: Int) -> Payload {
        let payload = Payload(id)
        payload.cell.value = id
        return payload
    }
}

/// A failure with contents.
final class Broken: Error, @unchecked Sendable { let cell = ModelCell(0, "the contents of a failure") }

/// A subscriber that checks the contract: one event at a time, ordered, no more than requested, and nothing after the
/// completion.
final class Recorder<Failure: Error>: Subscriber {
    typealias Input = Payload

    let log = ModelCell<[Int]>([], "a subscriber's log")
    // Not checked for races, so that a scenario can read it in between.
    var values: [Int] = []
    var subscription: (any Subscription)?
    var isInside = false
    var completions = 0
    var subscriptions = 0
    let first: Subscribers.Demand
    let each: Subscribers.Demand
    var onValue: (Payload, Recorder) -> Void = { _, _ in }
    var onSubscription: (any Subscription) -> Void = { _ in }
    var onFailure: (Failure) -> Void = { _ in }
    /// The sum of the requests before a value, at least; `nil` if that isn't checked.
    var requested: Int?

    init(_ first: Subscribers.Demand = .unlimited, each: Subscribers.Demand = .none) {
        self.first = first
        self.each = each
        requested = first.max
        endings.append {
            self.onValue = { _, _ in }
            self.subscription?.cancel()
            self.subscription = nil
        }
    }

    func receive(subscription: any Subscription) {
        subscriptions += 1
        expect(subscriptions == 1, "two subscriptions")
        self.subscription = subscription
        onSubscription(subscription)
        if first > .none { subscription.request(first) }
    }

    func request(_ demand: Subscribers.Demand) {
        note(demand)
        subscription?.request(demand)
    }

    func cancel() { subscription?.cancel() }

    func receive(_ input: Payload) -> Subscribers.Demand {
        expect(!isInside, "a value during a delivery")
        expect(completions == 0, "a value after the completion")
        isInside = true
        log.value.append(input.id)
        values.append(input.id)
        expect(input.cell.value == input.id, "a value without its contents")
        if let requested { expect(values.count <= requested, "\(values.count) values, \(requested) requested") }
        onValue(input, self)
        isInside = false
        note(each)
        return each
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion { onFailure(failure) }
        expect(!isInside, "a completion during a delivery")
        completions += 1
        expect(completions == 1, "two completions")
        log.value.append(-1)
    }

    private func note(_ demand: Subscribers.Demand) {
        guard let old = requested else { return }
        requested = demand.max.map { old + $0 }
    }

    /// The values of each sender are in order.
    ///
    /// Their ids are ten times the sender's number, and more.
    func checkOrder() {
        for sender in 0..<10 {
            let own = values.filter { $0 / 10 == sender }
            expect(own == own.sorted(), "the values of sender \(sender) are out of order: \(values)")
        }
        expect(log.value.filter { $0 >= 0 } == values, "the log differs")
    }
}
