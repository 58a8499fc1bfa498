import HeadgateCore

/// A subscriber that follows a script, records all events with their times, and reports every breach of the contract
/// that it observes.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let subscriber = TestSubscriber<Int, Never>(.first(2))
/// (1...3).publisher.subscribe(subscriber)
/// print(subscriber.values, subscriber.outstanding)
/// // [1, 2] max(0)
/// subscriber.request(.max(1))
/// print(subscriber.values, subscriber.hasFinished, subscriber.breaches)
/// // [1, 2, 3] true []
/// ```
public final class TestSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    // All state is guarded by the lock, and foreign code is called outside it.

    /// An event, its time, and the outstanding demand after it.
    public struct Record {
        /// The time on the subscriber's clock.
        public let time: TestTime

        /// The event.
        public let event: StreamEvent<Input, Failure>

        /// The outstanding demand after the event.
        public let outstanding: Subscribers.Demand
    }

    /// Misbehaviour of a subscriber that a publisher must tolerate.
    public struct Misbehavior: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Keeps its subscription after the end and after `cancel()`.
        public static var retainsSubscription: Misbehavior { Misbehavior(rawValue: 1) }

        /// Requests values from inside the completion.
        public static var requestsAfterCompletion: Misbehavior { Misbehavior(rawValue: 2) }

        /// Cancels from inside the completion.
        public static var cancelsAfterCompletion: Misbehavior { Misbehavior(rawValue: 4) }
    }

    private struct State {
        var monitor = ContractMonitor()
        var records: [Record] = []
        var breaches: [Breach] = []
        var subscription: (any Subscription)?
        var hadSubscription = false
        var valueCount = 0
    }

    /// The demand over time.
    public let script: DemandScript

    /// The subscriber's misbehaviour.
    public let misbehavior: Misbehavior

    let clock: TestScheduler?
    private let timeout: Int
    private let state = Guarded(State())
    private let answering: (TestSubscriber, Input) -> Subscribers.Demand
    private let onCompletion: (TestSubscriber, Subscribers.Completion<Failure>) -> Void
    private let onBreach: (Breach) -> Void

    private init(
        script: DemandScript, misbehavior: Misbehavior, clock: TestScheduler?, timeout: Int,
        answering: @escaping (TestSubscriber, Input) -> Subscribers.Demand,
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void,
        onBreach: @escaping (Breach) -> Void
    ) {
        self.script = script
        self.misbehavior = misbehavior
        self.clock = clock
        self.timeout = timeout
        self.answering = answering
        self.onCompletion = onCompletion
        self.onBreach = onBreach
    }

    /// Creates a subscriber that follows a script.
    ///
    /// - Parameters:
    ///   - script: Its demand over time.
    ///   - misbehavior: Its misbehaviour.
    ///   - clock: The scheduler whose time is recorded; without one, every time is zero.
    ///   - timeout: The number of milliseconds that a call on another thread may take before that counts as a lock
    ///     held.
    ///   - onValue: Called with each value, before the script's reaction.
    ///   - onCompletion: Called with the completion.
    ///   - onBreach: Called at each breach of the contract, on the thread that committed it.
    public convenience init(
        _ script: DemandScript = .none, misbehavior: Misbehavior = [], clock: TestScheduler? = nil, timeout: Int = 2000,
        onValue: @escaping (TestSubscriber, Input) -> Void = { _, _ in },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in },
        onBreach: @escaping (Breach) -> Void = { _ in }
    ) {
        self.init(
            script: script, misbehavior: misbehavior, clock: clock, timeout: timeout,
            answering: { subscriber, value in
                onValue(subscriber, value)
                return .none
            }, onCompletion: onCompletion, onBreach: onBreach)
    }

    /// Creates a subscriber whose demand depends on the values that it receives.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let subscriber = TestSubscriber<Int, Never>(requesting: .max(1)) { _, value in
    ///     value == 1 ? .max(2) : .none
    /// }
    /// (1...5).publisher.subscribe(subscriber)
    /// print(subscriber.values)
    /// // [1, 2, 3]
    /// ```
    ///
    /// - Parameters:
    ///   - demand: The demand requested on receiving the subscription.
    ///   - misbehavior: Its misbehaviour.
    ///   - clock: The scheduler whose time is recorded; without one, every time is zero.
    ///   - answering: Called with each value; returns the additional demand.
    ///   - onCompletion: Called with the completion.
    ///   - onBreach: Called at each breach of the contract, on the thread that committed it.
    public convenience init(
        requesting demand: Subscribers.Demand, misbehavior: Misbehavior = [], clock: TestScheduler? = nil,
        answering: @escaping (TestSubscriber, Input) -> Subscribers.Demand = { _, _ in .none },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in },
        onBreach: @escaping (Breach) -> Void = { _ in }
    ) {
        self.init(
            script: DemandScript(atSubscription: demand), misbehavior: misbehavior, clock: clock, timeout: 2000,
            answering: answering, onCompletion: onCompletion, onBreach: onBreach)
    }

    /// Requests a number of values; does nothing without a subscription.
    public func request(_ count: Int) { request(.max(count)) }

    /// Requests values; does nothing without a subscription.
    public func request(_ demand: Subscribers.Demand) {
        guard let subscription else { return }
        note(.request(demand))
        subscription.request(demand)
    }

    /// Cancels; a subscription that arrives later is cancelled immediately.
    public func cancel() {
        let subscription = note(.cancel) { state in
            self.misbehavior.contains(.retainsSubscription) ? state.subscription : state.subscription.take()
        }
        subscription?.cancel()
        state.withLock { $0.monitor.noteCancelReturned() }
    }

    /// Records the subscription and requests the script's initial demand; cancels a second one.
    public func receive(subscription: any Subscription) {
        let isWelcome = note(.subscription("\(subscription)")) { state in
            if state.hadSubscription || state.monitor.isCancelled { return false }
            state.hadSubscription = true
            state.subscription = subscription
            return true
        }
        if !isWelcome { return subscription.cancel() }
        if script.atSubscription > .none { request(script.atSubscription) }
    }

    /// Records a value and reacts as the script says; a late value is only recorded.
    public func receive(_ input: Input) -> Subscribers.Demand {
        let (index, isLate) = note(.value(input)) { state in
            defer { state.valueCount += 1 }
            return (state.valueCount, state.monitor.isCancelled || state.monitor.hasEnded)
        }
        var answer = answering(self, input)
        if isLate {
            answer = .none
        } else {
            answer += script.reaction(at: index).carryOut(
                timeout: timeout, request: { self.request($0) }, cancel: cancel
            ) { breach in
                state.withLock { $0.breaches.append(breach) }
                onBreach(breach)
            }
        }
        note(.answer(answer))
        return answer
    }

    /// Records the completion.
    public func receive(completion: Subscribers.Completion<Failure>) {
        // The subscription is released outside the lock.
        let subscription = note(.completion(completion)) { state in
            self.misbehavior.contains(.retainsSubscription) ? state.subscription : state.subscription.take()
        }
        onCompletion(self, completion)
        if misbehavior.contains(.requestsAfterCompletion) { subscription?.request(.max(1)) }
        if misbehavior.contains(.cancelsAfterCompletion) { subscription?.cancel() }
    }

    private func note(_ event: StreamEvent<Input, Failure>) { note(event) { _ in } }

    private func note<Result>(_ event: StreamEvent<Input, Failure>, _ body: (inout State) -> Result) -> Result {
        let time = clock?.now ?? .zero
        let (breaches, result) = state.withLock { state in
            let breaches = state.monitor.note(event)
            state.breaches += breaches
            state.records.append(Record(time: time, event: event, outstanding: state.monitor.outstanding))
            return (breaches, body(&state))
        }
        for breach in breaches { onBreach(breach) }
        return result
    }
}

extension TestSubscriber {
    /// All events, in order.
    public var records: [Record] { state.withLock { $0.records } }

    /// All events in order, without their times and without answers of no demand.
    public var events: [StreamEvent<Input, Failure>] {
        records.compactMap {
            if case .answer(.none) = $0.event { nil } else { $0.event }
        }
    }

    /// The breaches of the contract that were observed; empty if there were none.
    public var breaches: [Breach] { state.withLock { $0.breaches } }

    /// The subscription, until the end or `cancel()`.
    public var subscription: (any Subscription)? { state.withLock { $0.subscription } }

    /// Whether a subscription has been received.
    package var isSubscribed: Bool { state.withLock { $0.monitor.isSubscribed } }

    /// The outstanding demand.
    public var outstanding: Subscribers.Demand { state.withLock { $0.monitor.outstanding } }

    /// The received values.
    public var values: [Input] {
        records.compactMap { if case .value(let value) = $0.event { value } else { nil } }
    }

    /// The received values with their times.
    public var timedValues: [(time: TestTime, value: Input)] {
        records.compactMap { if case .value(let value) = $0.event { ($0.time, value) } else { nil } }
    }

    /// The first completion, if one has been received.
    public var completion: Subscribers.Completion<Failure>? {
        records.lazy.compactMap { if case .completion(let completion) = $0.event { completion } else { nil } }.first
    }

    /// Whether the stream has finished without failure.
    public var hasFinished: Bool { if case .finished = completion { true } else { false } }

    /// The failure, if one has been received.
    public var failure: Failure? { if case .failure(let failure) = completion { failure } else { nil } }
}
