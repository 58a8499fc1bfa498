import HeadgateEngine

/// Sends the values of upstream to something that answers each of them, and delivers the answers in the order of the
/// values.
///
/// No more values are requested from upstream than there is demand for and may be unanswered at a time, so an answer
/// never waits for demand: at most for its turn.
// Threads share only what a lock guards. The caller that makes answers due delivers them, unless another does already.
@usableFromInline
package final class ExchangeConduit<Input, Failure: Error, Output, OutputFailure: Error>: ServedSource, Subscriber,
    @unchecked Sendable
{
    @usableFromInline struct State {
        /// The subscriber's outstanding demand.
        @usableFromInline var demand = Subscribers.Demand.none

        /// Requested from upstream and not delivered.
        @usableFromInline var underWay = 0

        /// Received from upstream and not delivered.
        @usableFromInline var unfinished = 0

        /// The number of the next value.
        @usableFromInline var number = 0

        /// Nothing for a value that has no answer.
        @usableFromInline var answers = OrderedWindow<Output?>()

        @usableFromInline var isDelivering = false

        /// The completion to deliver once all values have been answered.
        @usableFromInline var completion: Subscribers.Completion<OutputFailure>?

        /// Whether the completion waits for no further answer.
        @usableFromInline var hasFailed = false

        @usableFromInline var downstream: AnySubscriber<Output, OutputFailure>?

        @usableFromInline var subscription: ConduitSubscription?

        /// Released at the end, because it retains the conduit for as long as it owes answers.
        @usableFromInline var partner: Partner?

        @inlinable init() {}

        /// Whether no further value is received.
        @inlinable var isOver: Bool { downstream == nil || completion != nil }

        /// Computes how much more can be requested from upstream, and counts it as requested.
        @inlinable mutating func takeRoom(_ limit: Int) -> (Subscribers.Demand, ConduitSubscription)? {
            guard let subscription, completion == nil else { return nil }
            let room = min(limit, demand.max ?? limit) - underWay
            if room <= 0 { return nil }
            underWay += room
            return (.max(room), subscription)
        }

        /// Counts a value as delivered.
        @inlinable mutating func finishDelivery(_ more: Subscribers.Demand) {
            demand += more
            demand -= 1
            finish()
        }

        @inlinable mutating func finish() {
            underWay -= 1
            if unfinished > 0 { unfinished -= 1 }
        }

        /// Takes the answer whose turn it is; a value without one is finished.
        @inlinable mutating func nextAnswer() -> Output? {
            while let answer = answers.popFirst() {
                if let answer { return answer }
                finish()
            }
            return nil
        }
    }

    /// What the conduit sends to.
    @usableFromInline package final class Partner {
        /// Takes a value and its number.
        @usableFromInline let take: (Input, Int) -> Void

        /// Called when no further value comes before some have been answered.
        @usableFromInline let flush: () -> Void

        /// Called once, at the end or at `cancel()`.
        @usableFromInline let end: () -> Void

        @inlinable package init(
            take: @escaping (Input, Int) -> Void, flush: @escaping () -> Void = {}, end: @escaping () -> Void = {}
        ) {
            self.take = take
            self.flush = flush
            self.end = end
        }
    }

    @usableFromInline let state = Guarded(State())

    @usableFromInline let name: StaticString

    @usableFromInline let limit: Int

    @usableFromInline let translate: (Failure) -> OutputFailure

    /// - Parameters:
    ///   - limit: The maximum number of values that are requested or unanswered at a time.
    ///   - translate: Transforms a failure of upstream.
    @inlinable package init(
        name: StaticString, limit: Int, _ downstream: AnySubscriber<Output, OutputFailure>,
        translate: @escaping (Failure) -> OutputFailure
    ) {
        self.name = name
        self.limit = limit
        self.translate = translate
        state.withLock { $0.downstream = downstream }
    }

    /// Connects upstream.
    @inlinable package func connect(_ upstream: some Publisher<Input, Failure>, to partner: Partner) {
        state.withLock { $0.partner = partner }
        upstream.receive(subscriber: self)
    }

    /// Receives the answer to a value, on any thread; `serve()` delivers it, with others that have come at the same time.
    @inlinable package func keep(_ output: Output, for number: Int) {
        state.withLock { state in
            if state.downstream != nil, !state.hasFailed { state.answers.put(output, at: number) }
        }
    }

    /// Receives the answers to several values, on any thread; nothing is delivered for a value without one.
    @inlinable package func answer(_ answers: some Sequence<(output: Output?, number: Int)>) {
        state.withLock { state in
            if state.downstream == nil || state.hasFailed { return }
            for (output, number) in answers { state.answers.put(output, at: number) }
        }
        serve()
    }

    /// Delivers the answers that have been received, unless another caller does.
    @inlinable package func serve() {
        let delivers = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if delivers { deliver() }
    }

    /// Ends the stream at once, on any thread.
    @inlinable package func fail(_ failure: OutputFailure) {
        state.withLock { state in
            if state.downstream == nil { return }
            state.completion = .failure(failure)
            state.hasFailed = true
        }
        serve()
    }

    @usableFromInline enum Step {
        case value
        case request(Subscribers.Demand, ConduitSubscription)
        case end
        case nothing
    }

    /// Delivers what is due, requests what may be unanswered, and completes the stream when nothing remains.
    @inlinable func deliver() {
        while true {
            deliverAnswers()
            switch state.withLock({ self.next(&$0) }) {
            case .value: break
            case .request(let demand, let upstream): upstream.request(demand)
            case .end: return end()
            case .nothing: return
            }
        }
    }

    @inlinable func deliverAnswers() {
        guard let downstream = state.withLock({ $0.downstream }) else { return }
        var more: Subscribers.Demand?
        while true {
            let value: Output? = state.withLock { state in
                if let more { state.finishDelivery(more) }
                return state.nextAnswer()
            }
            guard let value else { return }
            more = downstream.receive(value)
        }
    }

    @inlinable func next(_ state: inout State) -> Step {
        if state.answers.isFirstReady { return .value }
        if state.unfinished == 0 || state.hasFailed, state.completion != nil { return .end }
        if let (demand, upstream) = state.takeRoom(limit) { return .request(demand, upstream) }
        state.isDelivering = false
        return .nothing
    }

    @inlinable func end() {
        let old = state.withLock { exchange(&$0, with: State()) }
        // It may have been cancelled meanwhile.
        guard let completion = old.completion else { return }
        old.subscription?.cancel()
        old.partner?.end()
        old.downstream?.receive(completion: completion)
    }

    @inlinable package func receive(subscription: any Subscription) {
        let held = ConduitSubscription.holding(subscription)
        let downstream: AnySubscriber<Output, OutputFailure>? = state.withLock { state in
            if state.subscription != nil || state.isOver { return nil }
            state.subscription = held
            return state.downstream
        }
        guard let downstream else { return subscription.cancel() }
        downstream.receive(subscription: SourceSubscription(self, name: name, isPatient: true))
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        let (number, isLast, partner): (Int, Bool, Partner?) = state.withLock { state in
            if state.isOver { return (0, false, nil) }
            defer { state.number += 1 }
            state.unfinished += 1
            return (state.number, state.unfinished == state.underWay, state.partner)
        }
        guard let partner else { return .none }
        partner.take(input, number)
        if isLast { partner.flush() }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        let completion = completion.mapFailure(translate)
        // The subscription is released outside the lock.
        let (partner, subscription): (Partner?, ConduitSubscription?) = state.withLock { state in
            if state.isOver { return (nil, nil) }
            state.completion = completion
            return (state.partner, state.subscription.take())
        }
        withExtendedLifetime(subscription) {}
        guard let partner else { return Undeliverable.note(completion) }
        partner.flush()
        serve()
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        let next: (Subscribers.Demand, ConduitSubscription)? = state.withLock { state in
            if state.downstream == nil { return nil }
            state.demand += demand
            // The delivering caller makes the requests afterwards.
            return state.isDelivering ? nil : state.takeRoom(limit)
        }
        if let (demand, upstream) = next { upstream.request(demand) }
    }

    @inlinable package func cancel() {
        let old = state.withLock { exchange(&$0, with: State()) }
        if old.downstream == nil { return }
        old.subscription?.cancel()
        old.partner?.end()
    }

    /// What has been sent is answered, and nothing else can be requested.
    @inlinable package func abandon() {}
}
