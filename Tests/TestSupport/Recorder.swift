import HeadgateCore

/// What a subscriber can hear.
public enum HeardEvent<Input, Failure: Error> {
    case subscription(String)
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
}

extension HeardEvent: Equatable where Input: Equatable, Failure: Equatable {}

/// A subscriber that writes down what it hears, asks for what the test tells it to, and notes every breach of the
/// contract that a subscriber can see.
public final class Recorder<Input, Failure: Error>: Subscriber, Cancellable {
    /// Everything heard, in order.
    public private(set) var events: [HeardEvent<Input, Failure>] = []

    /// Breaches of the contract, in words; empty if all is well.
    public private(set) var breaches: [String] = []

    /// The subscription, until the end or `cancel()`.
    public private(set) var subscription: (any Subscription)?

    /// What to do on hearing a value, apart from writing it down.
    ///
    /// Its answer is returned as demand.
    public var onValue: (Recorder, Input) -> Subscribers.Demand

    /// What to do on hearing the completion.
    public var onCompletion: (Recorder) -> Void = { _ in }

    /// Whether to keep the subscription after the end, as careless subscribers do.
    public var keepsSubscription = false

    private let initialDemand: Subscribers.Demand
    private var outstanding = Subscribers.Demand.none
    private var isReceiving = false
    private var isSubscribed = false
    private var isSilent = false

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - demand: What to ask for on receiving the subscription.
    ///   - onValue: What to do on hearing a value; its answer is returned as demand.
    public init(
        demand: Subscribers.Demand = .none,
        onValue: @escaping (Recorder, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
        initialDemand = demand
        self.onValue = onValue
    }

    /// The values heard.
    public var values: [Input] {
        events.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The completion, if one was heard.
    public var completion: Subscribers.Completion<Failure>? {
        events.lazy.compactMap { if case .completion(let completion) = $0 { completion } else { nil } }.first
    }

    /// Whether the stream has finished without failure.
    public var hasFinished: Bool {
        if case .finished = completion { true } else { false }
    }

    /// The failure, if one was heard.
    public var failure: Failure? {
        if case .failure(let failure) = completion { failure } else { nil }
    }

    /// How many values may still come.
    public var owed: Subscribers.Demand { outstanding }

    /// Asks for values.
    public func request(_ demand: Subscribers.Demand) {
        outstanding += demand
        subscription?.request(demand)
    }

    /// Asks for a number of values.
    public func request(_ count: Int) { request(.max(count)) }

    /// Cancels the subscription, and takes whatever comes after that for a breach.
    public func cancel() {
        isSilent = true
        let subscription = self.subscription
        if !keepsSubscription { self.subscription = nil }
        subscription?.cancel()
    }

    /// Writes the subscription down, and asks for the initial demand.
    public func receive(subscription: any Subscription) {
        if isSubscribed { breaches.append("a second subscription") }
        isSubscribed = true
        events.append(.subscription("\(subscription)"))
        self.subscription = subscription
        request(initialDemand)
    }

    /// Writes a value down, and answers what `onValue` does.
    public func receive(_ input: Input) -> Subscribers.Demand {
        if !isSubscribed { breaches.append("a value before the subscription") }
        if isSilent { breaches.append("a value after the end or cancel()") }
        if isReceiving { breaches.append("a value inside the delivery of another") }
        if outstanding == .none { breaches.append("a value that was not asked for") }
        isReceiving = true
        outstanding -= 1
        events.append(.value(input))
        let more = onValue(self, input)
        outstanding += more
        isReceiving = false
        return more
    }

    /// Writes the completion down.
    public func receive(completion: Subscribers.Completion<Failure>) {
        if !isSubscribed { breaches.append("a completion before the subscription") }
        if isSilent { breaches.append("a completion after the end or cancel()") }
        if isReceiving { breaches.append("a completion inside the delivery of a value") }
        isSilent = true
        events.append(.completion(completion))
        if !keepsSubscription { subscription = nil }
        onCompletion(self)
    }
}
