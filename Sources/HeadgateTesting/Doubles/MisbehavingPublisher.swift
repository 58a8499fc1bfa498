import HeadgateCore

/// A publisher of a few values that breaks one chosen rule and follows the others.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// MisbehavingPublisher<Int, Never>(.oneValueTooMany, values: [1, 2, 3]).subscribe(subscriber)
/// print(subscriber.breaches[0])
/// // a value without demand (rule 1.2 Values are delivered only against demand: never more in total than was requested.)
/// ```
public struct MisbehavingPublisher<Output, Failure: Error>: Publisher {
    /// The rule to break.
    public let misbehaviour: Misbehaviour

    /// The values to publish.
    public let values: [Output]

    /// Creates a publisher that breaks a rule.
    public init(_ misbehaviour: Misbehaviour, values: [Output]) {
        self.misbehaviour = misbehaviour
        self.values = values
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        let subscription = MisbehavingSubscription(
            misbehaviour, values: values, AnySubscriber<Output, Failure>(subscriber))
        if misbehaviour == .valueBeforeSubscription, let first = values.first { _ = subscriber.receive(first) }
        subscriber.receive(subscription: subscription)
        if misbehaviour == .secondSubscription { subscriber.receive(subscription: Subscriptions.empty) }
        subscription.serve(.none)
    }
}

extension MisbehavingPublisher where Output == Int {
    /// Creates a publisher of 1, 2 and 3 that breaks a rule.
    public init(_ misbehaviour: Misbehaviour) { self.init(misbehaviour, values: [1, 2, 3]) }
}

private final class MisbehavingSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {
    private let misbehaviour: Misbehaviour
    private let values: [Output]
    private var downstream: AnySubscriber<Output, Failure>?
    private var index = 0
    private var outstanding = Subscribers.Demand.none
    private var isServing = false
    private var hasEnded = false

    init(_ misbehaviour: Misbehaviour, values: [Output], _ downstream: AnySubscriber<Output, Failure>) {
        self.misbehaviour = misbehaviour
        self.values = values
        self.downstream = downstream
    }

    var description: String { "Misbehaving" }

    func request(_ demand: Subscribers.Demand) { serve(demand) }

    func cancel() {
        if misbehaviour != .ignoresCancel { downstream = nil }
    }

    func serve(_ demand: Subscribers.Demand) {
        outstanding += demand
        if demand > .none {
            if misbehaviour == .ignoresDemand { outstanding = .unlimited }
            if misbehaviour == .oneValueTooMany { outstanding += 1 }
        }
        if isServing && misbehaviour != .nestsValues { return }
        isServing = true
        while outstanding > .none, index < values.count, let downstream {
            outstanding -= 1
            index += 1
            let answer = downstream.receive(values[index - 1])
            if misbehaviour != .forgetsAnswers { outstanding += answer }
        }
        isServing = false
        let isUsedUp = misbehaviour == .finishesWhenDemandIsUsedUp && index > 0 && outstanding == .none
        if index == values.count || isUsedUp { end() }
    }

    private func end() {
        guard !hasEnded, misbehaviour != .neverFinishes, let downstream else { return }
        hasEnded = true
        self.downstream = nil
        downstream.receive(completion: .finished)
        if misbehaviour == .secondCompletion { downstream.receive(completion: .finished) }
        if misbehaviour == .valueAfterTheEnd, let last = values.last { _ = downstream.receive(last) }
    }
}
