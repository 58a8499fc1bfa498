import HeadgateCore

/// Sends the values of upstream to something that answers each of them, and delivers the answers in the order of the
/// values.
///
/// No more values are requested from upstream than there is demand for and may be unanswered at a time, so an answer
/// never waits for demand: at most for its turn.
// Threads share only what a lock guards. The caller that makes answers due delivers them, unless another does already.
package final class ExchangeConduit<Input, Output, Failure: Error>: ServedSource, @unchecked Sendable {
    package struct State {
        /// The subscriber's outstanding demand.
        var demand = Subscribers.Demand.none

        /// Requested from upstream and not delivered.
        var underWay = 0

        /// Received from upstream and not delivered.
        var unfinished = 0

        /// The number of the next value.
        var number = 0

        var answers = OrderedWindow<Output>()
        var due = Queue<Output>()
        var isDelivering = false

        /// The completion to deliver once all values have been answered.
        var completion: Subscribers.Completion<Failure>?

        var downstream: AnySubscriber<Output, Failure>?
        var subscription: (any Subscription)?

        /// Released at the end, because it retains the conduit for as long as it owes answers.
        var partner: Partner?
    }

    /// What the conduit sends to.
    package final class Partner {
        /// Takes a value and its number.
        let take: (Input, Int) -> Void

        /// Called when no further value comes before some have been answered.
        let flush: () -> Void

        /// Called once, at the end or at `cancel()`.
        let end: () -> Void

        package init(
            take: @escaping (Input, Int) -> Void, flush: @escaping () -> Void = {}, end: @escaping () -> Void = {}
        ) {
            self.take = take
            self.flush = flush
            self.end = end
        }
    }

    private let state = Guarded(State())
    private let limit: Int

    /// - Parameter limit: The maximum number of values that are requested or unanswered at a time.
    package init(limit: Int, _ downstream: AnySubscriber<Output, Failure>) {
        self.limit = limit
        state.withLock { $0.downstream = downstream }
    }

    /// Connects upstream.
    ///
    /// - Parameter translate: `nil` if upstream can't fail.
    package func connect<Upstream: Publisher>(
        _ upstream: Upstream, name: StaticString, to partner: Partner,
        translate: ((Upstream.Failure) -> Failure)?
    ) where Upstream.Output == Input {
        state.withLock { $0.partner = partner }
        upstream.receive(subscriber: ExchangeInlet(self, name: name, translate: translate))
    }

    /// Receives the answer to a value, on any thread.
    package func answer(_ output: Output, to number: Int) {
        let delivers = state.withLock { state in
            if state.downstream == nil { return false }
            state.answers.put(output, at: number)
            while let output = state.answers.popFirst() { state.due.append(output) }
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if delivers { deliver() }
    }

    /// Ends the stream at once, on any thread.
    package func fail(_ failure: Failure) {
        let delivers = state.withLock { state in
            if state.downstream == nil { return false }
            state.completion = .failure(failure)
            state.unfinished = 0
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if delivers { deliver() }
    }

    private enum Step {
        case value(Output, AnySubscriber<Output, Failure>)
        case request(Subscribers.Demand, any Subscription)
        case end(State, Subscribers.Completion<Failure>)
        case nothing
    }

    /// Delivers what is due, requests what may be unanswered, and completes the stream when nothing remains.
    private func deliver() {
        while true {
            switch state.withLock(nextStep) {
            case .value(let value, let downstream):
                let more = downstream.receive(value)
                state.withLock { state in
                    state.demand += more
                    state.demand -= 1
                    state.underWay -= 1
                    if state.unfinished > 0 { state.unfinished -= 1 }
                }
            case .request(let demand, let upstream):
                upstream.request(demand)
            case .end(let old, let completion):
                old.subscription?.cancel()
                old.partner?.end()
                old.downstream?.receive(completion: completion)
                return
            case .nothing:
                return
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        guard let downstream = state.downstream else { return .nothing }
        if let value = state.due.popFirst() { return .value(value, downstream) }
        if state.unfinished == 0, let completion = state.completion {
            let old = state
            state = State()
            return .end(old, completion)
        }
        if let (demand, upstream) = room(&state) { return .request(demand, upstream) }
        state.isDelivering = false
        return .nothing
    }

    /// Computes how much more can be requested from upstream, and counts it as requested.
    private func room(_ state: inout State) -> (Subscribers.Demand, any Subscription)? {
        guard let upstream = state.subscription, state.completion == nil else { return nil }
        let room = min(limit, state.demand.max ?? limit) - state.underWay
        if room <= 0 { return nil }
        state.underWay += room
        return (.max(room), upstream)
    }

    fileprivate func connect(to subscription: any Subscription) -> AnySubscriber<Output, Failure>? {
        state.withLock { state in
            if state.subscription != nil || state.completion != nil { return nil }
            state.subscription = subscription
            return state.downstream
        }
    }

    fileprivate func receive(_ input: Input) {
        let (number, isLast, partner): (Int, Bool, Partner?) = state.withLock { state in
            if state.downstream == nil || state.completion != nil { return (0, false, nil) }
            defer { state.number += 1 }
            state.unfinished += 1
            return (state.number, state.unfinished == state.underWay, state.partner)
        }
        guard let partner else { return }
        partner.take(input, number)
        if isLast { partner.flush() }
    }

    fileprivate func receive(completion: Subscribers.Completion<Failure>) {
        let (partner, delivers): (Partner?, Bool) = state.withLock { state in
            if state.downstream == nil || state.completion != nil { return (nil, false) }
            state.completion = completion
            state.subscription = nil
            if state.isDelivering || state.unfinished > 0 { return (state.partner, false) }
            state.isDelivering = true
            return (state.partner, true)
        }
        partner?.flush()
        if delivers { deliver() }
    }

    package func request(_ demand: Subscribers.Demand) {
        let next: (Subscribers.Demand, any Subscription)? = state.withLock { state in
            if state.downstream == nil { return nil }
            state.demand += demand
            // The delivering caller makes the requests afterwards.
            return state.isDelivering ? nil : room(&state)
        }
        if let (demand, upstream) = next { upstream.request(demand) }
    }

    package func cancel() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        if old.downstream == nil { return }
        old.subscription?.cancel()
        old.partner?.end()
    }

    /// What has been sent is answered, and nothing else can be requested.
    package func abandon() {}
}

/// The subscriber to the upstream of an `ExchangeConduit`.
private final class ExchangeInlet<Input, InputFailure: Error, Output, Failure: Error>: Subscriber {
    private let conduit: ExchangeConduit<Input, Output, Failure>
    private let name: StaticString
    private let translate: ((InputFailure) -> Failure)?

    init(
        _ conduit: ExchangeConduit<Input, Output, Failure>, name: StaticString,
        translate: ((InputFailure) -> Failure)?
    ) {
        self.conduit = conduit
        self.name = name
        self.translate = translate
    }

    func receive(subscription: any Subscription) {
        guard let downstream = conduit.connect(to: subscription) else { return subscription.cancel() }
        downstream.receive(subscription: SourceSubscription(conduit, name: name, isPatient: true))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        conduit.receive(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<InputFailure>) {
        switch completion {
        case .finished: conduit.receive(completion: .finished)
        case .failure(let failure): if let translate { conduit.receive(completion: .failure(translate(failure))) }
        }
    }
}
