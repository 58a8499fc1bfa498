import HeadgateCore

/// A publisher that a test drives.
///
/// It follows the contract except in methods that begin with `force`: it delivers values only against demand. With a
/// stock it serves demand by itself, like a sequence.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let source = TestPublisher<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// source.map { $0 * 10 }.subscribe(subscriber)
/// print(source.send(1), source.send(2))
/// // true false
/// print(subscriber.values, source.requested)
/// // [10] max(1)
/// ```
public final class TestPublisher<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // All state is guarded by the lock, and subscribers are called outside it.

    /// A call by a subscriber.
    public enum Call: Hashable, Sendable {
        /// It requested values.
        case request(Subscribers.Demand)

        /// It returned more demand for a value.
        case answer(Subscribers.Demand)

        /// It cancelled.
        case cancel
    }

    private struct State {
        var calls: [Call] = []
        var connections: [TestConnection<Output, Failure>] = []
        var onDemand: ((Subscribers.Demand) -> Void)?

        /// Whether a cancellation finishes the stream of its subscriber.
        var finishesInsideCancel = false

        /// What is still to be served by requests.
        var stock: ArraySlice<Output>?

        var sentCount = 0
        var lost: [Output] = []

        /// How many values had been sent when each request came.
        var sentBeforeRequests: [Int] = []

        /// What each subscriber has done, and when: a time-line for each row.
        var lives: [[TimeLine.Row: TimeLine]] = []
    }

    private let state = Guarded(State())

    /// An action to run inside the next call of `request(_:)`.
    package let actionInRequest = PendingAction()

    /// An action to run inside the next call of `cancel()`.
    package let actionInCancel = PendingAction()

    private let clock: TestScheduler?
    let stock: [Output]
    let ending: Subscribers.Completion<Failure>?
    private let sendsSubscription: Bool
    let keepsSubscribers: Bool
    let onRequest: (TestPublisher, Subscribers.Demand) -> Void

    /// Creates a publisher that the test drives.
    ///
    /// - Parameters:
    ///   - sendsSubscription: Whether a subscriber receives its subscription immediately.
    ///   - keepsSubscribers: Whether to retain subscribers after the end and after `cancel()`, against rule 5.3, so
    ///     that events can be forced on them.
    ///   - clock: The scheduler whose time is recorded; without one, every time is zero.
    ///   - onRequest: Called inside each `request(_:)`, after its demand has been added, so that it may send values.
    public init(
        sendsSubscription: Bool = true, keepsSubscribers: Bool = false, clock: TestScheduler? = nil,
        onRequest: @escaping (TestPublisher, Subscribers.Demand) -> Void = { _, _ in }
    ) {
        stock = []
        ending = nil
        self.sendsSubscription = sendsSubscription
        self.keepsSubscribers = keepsSubscribers
        self.clock = clock
        self.onRequest = onRequest
    }

    /// Creates a publisher that serves each subscriber from a stock, against demand.
    ///
    /// - Parameters:
    ///   - stock: The values, in order.
    ///   - ending: The completion after them; `nil` for none.
    ///   - clock: The scheduler whose time is recorded; without one, every time is zero.
    public init(
        serving stock: [Output], ending: Subscribers.Completion<Failure>? = .finished, clock: TestScheduler? = nil
    ) {
        self.stock = stock
        self.clock = clock
        self.ending = ending
        sendsSubscription = true
        keepsSubscribers = false
        onRequest = { _, _ in }
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        let number = state.withLock { state in
            state.lives.append([:])
            return state.lives.count - 1
        }
        draw(.begin, on: .subscription, of: number)
        let connection = TestConnection(AnySubscriber(subscriber), to: self, number: number)
        state.withLock { $0.connections.append(connection) }
        if sendsSubscription { _ = connection.subscribe() }
    }

    func draw(_ sign: TimeLine.Sign, on row: TimeLine.Row, of number: Int) {
        let column = clock.map { $0.now.nanoseconds / $0.column.magnitude } ?? 0
        state.withLock { $0.lives[number][row, default: TimeLine()].append(sign, to: row, at: column) }
    }

    func note(_ call: Call, of number: Int) {
        let onDemand = state.withLock { state in
            state.calls.append(call)
            if case .request = call { state.sentBeforeRequests.append(state.sentCount) }
            return state.onDemand
        }
        switch call {
        case .request(let demand), .answer(let demand):
            if demand > .none { draw(.request(demand), on: .demand, of: number) }
            onDemand?(demand)
            if case .request = call { actionInRequest.take() }
        case .cancel:
            draw(.cancel, on: .subscription, of: number)
            actionInCancel.take()
        }
    }

    /// Calls a closure with the demand of every request and of every answer, before it is served.
    package func observeDemand(_ body: @escaping (Subscribers.Demand) -> Void) {
        // The closure is called on the threads that request.
        nonisolated(unsafe) let body = body
        state.withLock { $0.onDemand = body }
    }

    var finishesInsideCancel: Bool { state.withLock { $0.finishesInsideCancel } }

    private var open: [TestConnection<Output, Failure>] {
        state.withLock { $0.connections }.filter(\.isOpen)
    }
}

extension TestPublisher {
    /// Whether the first subscription of every subscriber has been released.
    public var areSubscriptionsReleased: Bool {
        state.withLock { $0.connections }.allSatisfy { $0.isSubscriptionReleased }
    }

    /// Whether a subscription was released before the end and without `cancel()`.
    package var wasAbandoned: Bool { state.withLock { $0.connections }.contains { $0.isAbandoned } }

    /// The calls of subscribers, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// When each subscription began and ended, as a row of a time-line: `[` begins, `]` is the completion, and `!` is
    /// `cancel()`.
    ///
    /// A column is the ``TestScheduler/column`` of the clock.
    public var subscriptions: [String] { rows(.subscription) }

    /// What each subscriber requested and when, by requests and by answers, as a row of a time-line such as `^1--^2`.
    public var requests: [String] { rows(.demand) }

    private func rows(_ row: TimeLine.Row) -> [String] {
        state.withLock { $0.lives }.map { ($0[row] ?? TimeLine()).text(of: row) }
    }

    /// The number of subscriptions.
    public var subscriptionCount: Int { state.withLock { $0.lives.count } }

    /// Whether there is a subscriber that has neither cancelled nor received a completion.
    public var isConnected: Bool { !open.isEmpty }

    /// How often `cancel()` was called.
    public var cancelCount: Int { calls.filter { $0 == .cancel }.count }

    /// How often `request(_:)` was called with more than `.none`.
    package var requestCount: Int {
        calls.count { if case .request(let demand) = $0 { demand > .none } else { false } }
    }

    /// The total demand so far, by requests and by answers.
    public var requested: Subscribers.Demand {
        calls.reduce(.none) {
            switch $1 {
            case .request(let demand), .answer(let demand): $0 + demand
            case .cancel: $0
            }
        }
    }

    /// The outstanding demand of the subscriber with the least; `.none` without subscribers.
    public var outstanding: Subscribers.Demand { open.map(\.outstanding).min() ?? .none }

    /// Delivers a value to each subscriber with demand.
    ///
    /// - Returns: Whether any subscriber received it.
    @discardableResult public func send(_ value: Output) -> Bool {
        state.withLock { $0.sentCount += 1 }
        let isReceived = open.filter { $0.deliver(value) }.isEmpty == false
        if !isReceived { state.withLock { $0.lost.append(value) } }
        return isReceived
    }

    /// The values that were sent while no subscriber had demand: a source that sends on its own loses them.
    public var lost: [Output] { state.withLock { $0.lost } }

    /// How many values had been sent when each request came, in the order of the requests.
    public var sentBeforeRequests: [Int] { state.withLock { $0.sentBeforeRequests } }

    /// Delivers a value to each subscriber, with or without demand; even after its end or `cancel()`, if subscribers
    /// are kept.
    public func force(_ value: Output) {
        for connection in state.withLock({ $0.connections }) { connection.force(value) }
    }

    /// Completes the stream for each subscriber.
    public func send(completion: Subscribers.Completion<Failure>) {
        for connection in open { connection.end(completion) }
    }

    /// Ends the stream without failure.
    public func finish() { send(completion: .finished) }

    /// Ends the stream with a failure.
    public func fail(_ failure: Failure) { send(completion: .failure(failure)) }

    /// Delivers a completion to each subscriber; even a second one or after `cancel()`, if subscribers are kept.
    public func force(completion: Subscribers.Completion<Failure>) {
        for connection in state.withLock({ $0.connections }) { connection.force(completion: completion) }
    }

    /// Sends each subscriber a subscription: the first, if it is not sent automatically, or another.
    ///
    /// - Returns: The subscriptions, to observe them.
    @discardableResult public func sendSubscription() -> [TestSubscription<Output, Failure>] {
        state.withLock { $0.connections }.map { $0.subscribe() }
    }
}

extension TestPublisher {
    /// Creates a publisher that serves each subscriber from a stock, in an unusual way.
    ///
    /// - Parameters:
    ///   - stock: The values, in order. With ``Quirk/oneValuePerRequest``, all subscribers share them.
    ///   - quirk: What is unusual.
    public convenience init(serving stock: [Output], quirk: Quirk) {
        switch quirk {
        case .oneValuePerRequest:
            self.init(onRequest: { source, _ in source.serveNext() })
            state.withLock { $0.stock = stock[...] }
        case .deliversInsideRequest:
            self.init(serving: stock)
        case .completesInsideCancel:
            self.init(serving: stock, ending: nil)
            state.withLock { $0.finishesInsideCancel = true }
        }
    }

    /// Delivers the next value of the stock of a publisher with ``Quirk/oneValuePerRequest``, if there is demand, and finishes
    /// after the last one.
    public func serveNext() {
        if outstanding > .none, let value = state.withLock({ $0.stock?.popFirst() }) { send(value) }
        if state.withLock({ $0.stock?.isEmpty == true }) { finish() }
    }
}
