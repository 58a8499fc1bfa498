import HeadgateCore

/// A publisher that does what the test tells it to, one subscriber at a time, and keeps a ledger of what it is told.
///
/// It obeys the test even against the contract: it does not check demand.
public final class HandPublisher<Output, Failure: Error>: Publisher {
    /// What downstream has said.
    public enum Call: Equatable {
        case request(Subscribers.Demand)
        case cancel
    }

    private final class Hand: Subscription, CustomStringConvertible {
        weak var owner: HandPublisher?

        init(owner: HandPublisher) { self.owner = owner }

        func request(_ demand: Subscribers.Demand) {
            owner?.calls.append(.request(demand))
            owner?.onRequest(demand)
        }

        func cancel() {
            owner?.calls.append(.cancel)
            owner?.downstream = nil
        }

        var description: String { "HandPublisher" }
    }

    /// What downstream has said, in order.
    public private(set) var calls: [Call] = []

    /// How many subscribers have been connected.
    public private(set) var subscriptionCount = 0

    /// What to do at a request, apart from writing it down.
    public var onRequest: (Subscribers.Demand) -> Void = { _ in }

    private var downstream: AnySubscriber<Output, Failure>?
    private let sendsSubscription: Bool

    /// The subscription last handed out, for tests of its release.
    public private(set) weak var lastSubscription: (any Subscription & AnyObject)?

    /// Makes a publisher.
    ///
    /// - Parameter sendsSubscription: Whether subscribers get their subscription by themselves, at once.
    public init(sendsSubscription: Bool = true) {
        self.sendsSubscription = sendsSubscription
    }

    /// Connects a subscriber in the place of the one before.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriptionCount += 1
        downstream = AnySubscriber(subscriber)
        if sendsSubscription { sendSubscription() }
    }

    /// Whether somebody is connected who has neither cancelled nor been told of the end.
    public var isConnected: Bool { downstream != nil }

    /// Everything asked for so far.
    public var requested: Subscribers.Demand {
        calls.reduce(.none) { if case .request(let demand) = $1 { $0 + demand } else { $0 } }
    }

    /// How often `cancel()` was called.
    public var cancelCount: Int { calls.filter { $0 == .cancel }.count }

    /// Hands out a subscription.
    public func sendSubscription() {
        let hand = Hand(owner: self)
        lastSubscription = hand
        downstream?.receive(subscription: hand)
    }

    /// Delivers a value, whether or not it was asked for.
    ///
    /// - Returns: What downstream answered.
    @discardableResult
    public func send(_ value: Output) -> Subscribers.Demand {
        downstream?.receive(value) ?? .none
    }

    /// Ends the stream.
    public func send(completion: Subscribers.Completion<Failure>) {
        downstream.take()?.receive(completion: completion)
    }

    /// Ends the stream without failure.
    public func finish() { send(completion: .finished) }
}
