import Headgate
import HeadgateEngine
import HeadgateCore

/// A subscriber that follows a script, writes down everything that happens with the moment at which it did, and notes
/// every breach of the contract that it sees.
///
/// ```swift
/// let subscriber = TestSubscriber<Int, Never>(.first(2))
/// (1...3).publisher.subscribe(subscriber)
/// print(subscriber.values, subscriber.outstanding)
/// // [1, 2] max(0)
/// subscriber.request(.max(1))
/// print(subscriber.values, subscriber.hasFinished, subscriber.breaches)
/// // [1, 2, 3] true []
/// ```
public final class TestSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    // All state is behind the lock, and foreign code is called outside it.

    /// What happened, when, and what it left outstanding.
    public struct Record {
        /// The moment on the subscriber's clock.
        public let time: TestTime

        /// What happened.
        public let event: StreamEvent<Input, Failure>

        /// How many values may come after it.
        public let outstanding: Subscribers.Demand
    }

    /// Bad manners that a publisher has to put up with.
    public struct Manners: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Makes a set of its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Keeps its subscription after the end and after `cancel()`.
        public static var keepsSubscription: Manners { Manners(rawValue: 1) }

        /// Goes on asking from inside the completion.
        public static var asksAfterTheEnd: Manners { Manners(rawValue: 2) }

        /// Cancels from inside the completion.
        public static var cancelsAfterTheEnd: Manners { Manners(rawValue: 4) }
    }

    private struct State {
        var monitor = ContractMonitor()
        var records: [Record] = []
        var breaches: [Breach] = []
        var subscription: (any Subscription)?
        var hadSubscription = false
        var valueCount = 0
    }

    /// What is asked for, and when.
    public let script: DemandScript

    /// The subscriber's bad manners.
    public let manners: Manners

    private let clock: TestScheduler?
    private let patience: Int
    private let state = Guarded(State())
    private let answering: (TestSubscriber, Input) -> Subscribers.Demand
    private let onCompletion: (TestSubscriber, Subscribers.Completion<Failure>) -> Void
    private let onBreach: (Breach) -> Void

    private init(
        script: DemandScript, manners: Manners, clock: TestScheduler?, patience: Int,
        answering: @escaping (TestSubscriber, Input) -> Subscribers.Demand,
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void,
        onBreach: @escaping (Breach) -> Void
    ) {
        self.script = script
        self.manners = manners
        self.clock = clock
        self.patience = patience
        self.answering = answering
        self.onCompletion = onCompletion
        self.onBreach = onBreach
    }

    /// Makes a subscriber that follows a script.
    ///
    /// - Parameters:
    ///   - script: What it requests, and when.
    ///   - manners: Bad manners that it is to have.
    ///   - clock: The scheduler whose time is written down; where it is missing, every moment is zero.
    ///   - patience: For how many thousandths of a second a call on another thread may take before that counts as a lock
    ///     held.
    ///   - onValue: What else to do on receiving a value, before the script's reaction.
    ///   - onCompletion: What else to do on receiving the completion.
    ///   - onBreach: Called at each breach of the contract, on the thread that committed it.
    public convenience init(
        _ script: DemandScript = .none, manners: Manners = [], clock: TestScheduler? = nil, patience: Int = 2000,
        onValue: @escaping (TestSubscriber, Input) -> Void = { _, _ in },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in },
        onBreach: @escaping (Breach) -> Void = { _ in }
    ) {
        self.init(
            script: script, manners: manners, clock: clock, patience: patience,
            answering: { subscriber, value in
                onValue(subscriber, value)
                return .none
            }, onCompletion: onCompletion, onBreach: onBreach)
    }

    /// Makes a subscriber whose demand depends on the values that it receives.
    ///
    /// ```swift
    /// let subscriber = TestSubscriber<Int, Never>(requesting: .max(1)) { _, value in
    ///     value == 1 ? .max(2) : .none
    /// }
    /// (1...5).publisher.subscribe(subscriber)
    /// print(subscriber.values)
    /// // [1, 2, 3]
    /// ```
    ///
    /// - Parameters:
    ///   - demand: What it requests on receiving the subscription.
    ///   - manners: Bad manners that it is to have.
    ///   - clock: The scheduler whose time is written down; where it is missing, every moment is zero.
    ///   - answering: What to do on receiving a value; the demand that it returns is the answer to the value.
    ///   - onCompletion: What else to do on receiving the completion.
    ///   - onBreach: Called at each breach of the contract, on the thread that committed it.
    public convenience init(
        requesting demand: Subscribers.Demand, manners: Manners = [], clock: TestScheduler? = nil,
        answering: @escaping (TestSubscriber, Input) -> Subscribers.Demand = { _, _ in .none },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in },
        onBreach: @escaping (Breach) -> Void = { _ in }
    ) {
        self.init(
            script: DemandScript(atSubscription: demand), manners: manners, clock: clock, patience: 2000,
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

    /// Cancels; a subscription that is still to come is cancelled when it does.
    public func cancel() {
        let subscription = note(.cancel) { state in
            self.manners.contains(.keepsSubscription) ? state.subscription : state.subscription.take()
        }
        subscription?.cancel()
        state.withLock { $0.monitor.noteCancelReturned() }
    }

    /// Writes the subscription down and asks for what the script begins with; a second one is cancelled.
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

    /// Writes a value down and reacts as the script says; a value that comes late is only written down.
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
                patience: patience, request: { self.request($0) }, cancel: cancel
            ) { breach in
                state.withLock { $0.breaches.append(breach) }
                onBreach(breach)
            }
        }
        note(.answer(answer))
        return answer
    }

    /// Writes the completion down.
    public func receive(completion: Subscribers.Completion<Failure>) {
        // The subscription is released outside the lock.
        let subscription = note(.completion(completion)) { state in
            self.manners.contains(.keepsSubscription) ? state.subscription : state.subscription.take()
        }
        onCompletion(self, completion)
        if manners.contains(.asksAfterTheEnd) { subscription?.request(.max(1)) }
        if manners.contains(.cancelsAfterTheEnd) { subscription?.cancel() }
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
    /// Everything that happened, in order.
    public var records: [Record] { state.withLock { $0.records } }

    /// What the subscriber heard and said, in order, without the moments; answers that ask for nothing are left out.
    public var events: [StreamEvent<Input, Failure>] {
        records.compactMap {
            if case .answer(.none) = $0.event { nil } else { $0.event }
        }
    }

    /// The breaches of the contract that were seen; empty if all is well.
    public var breaches: [Breach] { state.withLock { $0.breaches } }

    /// The subscription, until the end or `cancel()`.
    public var subscription: (any Subscription)? { state.withLock { $0.subscription } }

    /// Whether a subscription was heard.
    var isSubscribed: Bool { state.withLock { $0.monitor.isSubscribed } }

    /// How many values may still come.
    public var outstanding: Subscribers.Demand { state.withLock { $0.monitor.outstanding } }

    /// The values heard.
    public var values: [Input] {
        records.compactMap { if case .value(let value) = $0.event { value } else { nil } }
    }

    /// The values heard, with the moment of each.
    public var timedValues: [(time: TestTime, value: Input)] {
        records.compactMap { if case .value(let value) = $0.event { ($0.time, value) } else { nil } }
    }

    /// The first completion, if one was heard.
    public var completion: Subscribers.Completion<Failure>? {
        records.lazy.compactMap { if case .completion(let completion) = $0.event { completion } else { nil } }.first
    }

    /// Whether the stream has finished without failure.
    public var hasFinished: Bool { if case .finished = completion { true } else { false } }

    /// The failure, if one was heard.
    public var failure: Failure? { if case .failure(let failure) = completion { failure } else { nil } }
}
