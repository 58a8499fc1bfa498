import Headgate
import HeadgateEngine
import HeadgateCore

/// A publisher that a test drives by hand.
///
/// It keeps to the contract unless the method begins with `force`: what a subscriber has not asked for is not delivered
/// to it. With a stock it serves by itself, against demand, like a sequence.
///
/// ```swift
/// let source = TestPublisher<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// source.map { $0 * 10 }.subscribe(subscriber)
/// print(source.send(1), source.send(2))
/// // true false
/// print(subscriber.values, source.requested)
/// // [10] max(1)
/// ```
public final class TestPublisher<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // All state is behind the lock, and subscribers are called outside it.

    /// What a subscriber has said.
    public enum Call: Hashable, Sendable {
        /// It asked for values.
        case request(Subscribers.Demand)

        /// It asked for more in answer to a value.
        case answer(Subscribers.Demand)

        /// It cancelled.
        case cancel
    }

    private struct State {
        var calls: [Call] = []
        var connections: [TestConnection<Output, Failure>] = []
        var subscriptionCount = 0
    }

    private let state = Guarded(State())

    /// What to do inside the next call of `request(_:)`.
    let whenAsked = Interruption()

    /// What to do inside the next call of `cancel()`.
    let whenCancelled = Interruption()

    private let stock: [Output]
    private let ending: Subscribers.Completion<Failure>?
    private let sendsSubscription: Bool
    private let keepsSubscribers: Bool
    private let onRequest: (TestPublisher, Subscribers.Demand) -> Void

    /// Makes a publisher that does what it is told.
    ///
    /// - Parameters:
    ///   - sendsSubscription: Whether a subscriber gets its subscription by itself, at once.
    ///   - keepsSubscribers: Whether to hold on to subscribers after the end and after `cancel()`, against rule 5.3, so
    ///     that something can be forced on them.
    ///   - onRequest: Called inside each `request(_:)`, once its demand counts, so that values may be sent from there.
    public init(
        sendsSubscription: Bool = true, keepsSubscribers: Bool = false,
        onRequest: @escaping (TestPublisher, Subscribers.Demand) -> Void = { _, _ in }
    ) {
        stock = []
        ending = nil
        self.sendsSubscription = sendsSubscription
        self.keepsSubscribers = keepsSubscribers
        self.onRequest = onRequest
    }

    /// Makes a publisher that serves every subscriber from a stock, against demand.
    ///
    /// - Parameters:
    ///   - stock: The values, in order.
    ///   - ending: How the stream ends behind them; where it is missing, it goes on.
    public init(serving stock: [Output], ending: Subscribers.Completion<Failure>? = .finished) {
        self.stock = stock
        self.ending = ending
        sendsSubscription = true
        keepsSubscribers = false
        onRequest = { _, _ in }
    }

    /// Connects a subscriber.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        let connection = TestConnection<Output, Failure>(
            AnySubscriber(subscriber), stock: stock, ending: ending, keepsSubscriber: keepsSubscribers,
            note: { [weak self] call in self?.note(call) },
            onRequest: { [weak self] demand in
                if let self { onRequest(self, demand) }
            })
        state.withLock {
            $0.connections.append(connection)
            $0.subscriptionCount += 1
        }
        if sendsSubscription { _ = connection.subscribe() }
    }

    private func note(_ call: Call) {
        state.withLock { $0.calls.append(call) }
        switch call {
        case .request: whenAsked.take()
        case .cancel: whenCancelled.take()
        case .answer: break
        }
    }

    private var open: [TestConnection<Output, Failure>] {
        state.withLock { $0.connections }.filter(\.isOpen)
    }
}

extension TestPublisher {
    /// Whether every subscription has been released that a subscriber received first.
    public var areSubscriptionsReleased: Bool {
        state.withLock { $0.connections }.allSatisfy { $0.isSubscriptionReleased }
    }

    /// Whether a subscription was let go of before the end and without `cancel()`.
    var wasAbandoned: Bool { state.withLock { $0.connections }.contains { $0.isAbandoned } }

    /// What subscribers have said, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// How many subscribers have come.
    public var subscriptionCount: Int { state.withLock { $0.subscriptionCount } }

    /// Whether a subscriber is there that has neither cancelled nor been told of the end.
    public var isConnected: Bool { !open.isEmpty }

    /// How often `cancel()` was called.
    public var cancelCount: Int { calls.filter { $0 == .cancel }.count }

    /// How often `request(_:)` was called for more than nothing.
    var askCount: Int {
        calls.count { if case .request(let demand) = $0 { demand > .none } else { false } }
    }

    /// Everything asked for so far, by requests and by answers.
    public var requested: Subscribers.Demand {
        calls.reduce(.none) {
            switch $1 {
            case .request(let demand), .answer(let demand): $0 + demand
            case .cancel: $0
            }
        }
    }

    /// How many values may still be sent to the subscriber that may be sent the fewest; `.none` without subscribers.
    public var outstanding: Subscribers.Demand { open.map(\.outstanding).min() ?? .none }

    /// Delivers a value to each subscriber that has asked for one.
    ///
    /// - Returns: Whether anybody got it.
    @discardableResult public func send(_ value: Output) -> Bool {
        open.filter { $0.deliver(value) }.isEmpty == false
    }

    /// Delivers a value to each subscriber, asked for or not; even after its end or `cancel()`, if subscribers are kept.
    public func force(_ value: Output) {
        for connection in state.withLock({ $0.connections }) { connection.force(value) }
    }

    /// Ends the stream for each subscriber.
    public func send(completion: Subscribers.Completion<Failure>) {
        for connection in open { connection.end(completion) }
    }

    /// Ends the stream without failure.
    public func finish() { send(completion: .finished) }

    /// Ends the stream with a failure.
    public func fail(_ failure: Failure) { send(completion: .failure(failure)) }

    /// Tells each subscriber of an end; even a second time or after `cancel()`, if subscribers are kept.
    public func force(completion: Subscribers.Completion<Failure>) {
        for connection in state.withLock({ $0.connections }) { connection.force(completion: completion) }
    }

    /// Hands each subscriber its subscription: the first, where they do not come by themselves, or another.
    ///
    /// - Returns: The subscriptions, to see what becomes of them.
    @discardableResult public func sendSubscription() -> [TestSubscription<Output, Failure>] {
        state.withLock { $0.connections }.map { $0.subscribe() }
    }
}
