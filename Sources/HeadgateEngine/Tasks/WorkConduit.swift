import HeadgateCore

/// The outcome of processing one value.
@usableFromInline package enum WorkResult<Output, Failure: Error> {
    case value(Output)
    /// The value is dropped.
    case skip
    case failure(Failure)
}

/// Processes the values of upstream in a limited number of tasks, and delivers the results.
///
/// No more values are requested from upstream than there is demand for and tasks can process, so a result never waits
/// for demand: at most for its turn.
///
/// The tasks are few and process one value after the other. They are started when they are needed, by one that has the
/// task-locals of the subscribing code.
// Threads share only what a lock guards. The caller that makes results due delivers them, unless
// another does already.
@usableFromInline package final class WorkConduit<Input, Output, Failure: Error>: ServedSource, @unchecked Sendable {
    @usableFromInline package typealias Work = (Input) async -> WorkResult<Output, Failure>

    @usableFromInline package struct State {
        /// The subscriber's outstanding demand.
        @usableFromInline package var demand = Subscribers.Demand.none

        /// Requested from upstream and neither delivered nor dropped.
        @usableFromInline package var underWay = 0

        /// Values that no task processes yet.
        @usableFromInline package var inputs = Queue<(number: Int, value: Input)>()

        /// The number of the next value.
        @usableFromInline package var number = 0

        /// Values that have arrived and are neither delivered nor dropped.
        @usableFromInline package var unfinished = 0

        @usableFromInline package var results = OrderedWindow<WorkResult<Output, Failure>>()

        @usableFromInline package var due = Queue<Output>()

        @usableFromInline package var isDelivering = false

        /// The completion to deliver once all values have been processed.
        @usableFromInline package var completion: Subscribers.Completion<Failure>?

        @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

        @usableFromInline package var subscription: (any Subscription)?

        @usableFromInline package var task: Task<Void, Never>?

        /// The tasks that wait for values.
        @usableFromInline package var idle: [UnsafeContinuation<Void, Never>] = []

        /// The task that starts others, while it waits.
        @usableFromInline package var starter: UnsafeContinuation<Void, Never>?

        @usableFromInline package var workers = 0

        /// How many tasks are to be started.
        @usableFromInline package var missing = 0

        /// Whether nothing is left that could request, cancel, or send.
        @usableFromInline package var isAbandoned = false

        @inlinable package init() {}

        @inlinable package var isOver: Bool { downstream == nil }
    }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let limit: Int

    @usableFromInline package let isOrdered: Bool

    @usableFromInline package let work: Work

    @inlinable package init(
        limit: Int, isOrdered: Bool, _ downstream: AnySubscriber<Output, Failure>, work: @escaping Work
    ) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.work = work
        state.withLock { $0.downstream = downstream }
    }

    /// Starts the first task, with the task-locals of the caller.
    ///
    /// - Returns: The task, which ends after all others.
    @inlinable @discardableResult package func start() -> Task<Void, Never> {
        let task = StreamTask.start { [limit] in
            if limit == 1 {
                await self.workOn()
            } else {
                await withDiscardingTaskGroup { group in
                    while await self.needsWorker() { group.addTask { await self.workOn() } }
                }
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
        return task
    }

    /// Processes one value after the other.
    @inlinable func workOn() async {
        while true {
            switch take() {
            case .input(let number, let input): complete(number, await work(input))
            case .over: return
            case .nothing: await waitForInput()
            }
        }
    }

    @usableFromInline enum Finding {
        case input(Int, Input)
        case nothing
        case over
    }

    @inlinable nonisolated(nonsending) func waitForInput() async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let waits = state.withLock { state in
                if state.isOver || !state.inputs.isEmpty { return false }
                state.idle.append(task)
                return true
            }
            if !waits { task.resume() }
        }
    }

    @inlinable func take() -> Finding {
        state.withLock { state in
            if state.isOver { return .over }
            return state.inputs.popFirst().map { .input($0.number, $0.value) } ?? .nothing
        }
    }

    /// Waits until another task has to be started.
    @inlinable func needsWorker() async -> Bool {
        while true {
            let needs: Bool? = state.withLock { state in
                if state.isOver { return false }
                if state.missing == 0 { return nil }
                state.missing -= 1
                return true
            }
            if let needs { return needs }
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    if state.isOver || state.missing > 0 { return false }
                    state.starter = task
                    return true
                }
                if !waits { task.resume() }
            }
        }
    }

    /// Receives a result, and delivers what is due unless another caller does.
    @inlinable func complete(_ number: Int, _ result: WorkResult<Output, Failure>) {
        let delivers = state.withLock { state in
            if state.isOver { return false }
            if isOrdered, limit > 1 {
                // A failure doesn't wait for its turn.
                if case .failure = result { settle(result, &state) } else { state.results.put(result, at: number) }
                while let result = state.results.popFirst() { settle(result, &state) }
            } else {
                settle(result, &state)
            }
            if state.isDelivering { return false }
            state.isDelivering = true
            return true
        }
        if delivers { deliver() }
    }

    @inlinable func settle(_ result: WorkResult<Output, Failure>, _ state: inout State) {
        switch result {
        case .value(let value):
            state.due.append(value)
        case .skip:
            state.underWay -= 1
            state.unfinished -= 1
        case .failure(let failure):
            state.completion = .failure(failure)
            state.unfinished = 0
        }
    }

    @usableFromInline enum Step {
        case value(Output, AnySubscriber<Output, Failure>)
        case request(Subscribers.Demand, any Subscription)
        case end(State, Subscribers.Completion<Failure>?)
        case nothing
    }

    /// Delivers what is due, requests what can be processed, and completes the stream when nothing remains.
    @inlinable func deliver() {
        while true {
            switch nextStep() {
            case .value(let value, let downstream):
                let more = downstream.receive(value)
                state.withLock { state in
                    state.demand += more
                    state.demand -= 1
                    state.underWay -= 1
                    state.unfinished -= 1
                }
            case .request(let demand, let upstream):
                upstream.request(demand)
            case .end(let old, let completion):
                // The running work is cancelled, and so is upstream, before the completion is delivered.
                finish(old)
                if let completion { old.downstream?.receive(completion: completion) }
                return
            case .nothing:
                return
            }
        }
    }

    @inlinable func nextStep() -> Step {
        state.withLock { state in
            guard let downstream = state.downstream else { return .nothing }
            if let value = state.due.popFirst() { return .value(value, downstream) }
            if state.unfinished == 0, state.completion != nil || state.isAbandoned {
                let old = state
                state = State()
                return .end(old, old.completion)
            }
            if let (demand, upstream) = room(&state) { return .request(demand, upstream) }
            state.isDelivering = false
            return .nothing
        }
    }

    /// Computes how much more can be requested from upstream, and counts it as requested.
    @inlinable func room(_ state: inout State) -> (Subscribers.Demand, any Subscription)? {
        guard let upstream = state.subscription, state.completion == nil else { return nil }
        let room = min(limit, state.demand.max ?? limit) - state.underWay
        if room <= 0 { return nil }
        state.underWay += room
        return (.max(room), upstream)
    }

    /// Receives the subscription.
    ///
    /// - Returns: Whether it is the first, and needed.
    @inlinable package func connect(to subscription: any Subscription) -> Bool {
        state.withLock { state in
            if state.isOver || state.subscription != nil || state.completion != nil { return false }
            state.subscription = subscription
            return true
        }
    }

    @inlinable package func receive(_ input: Input) {
        let task: UnsafeContinuation<Void, Never>? = state.withLock { state in
            if state.isOver || state.completion != nil { return nil }
            state.inputs.append((state.number, input))
            state.number += 1
            state.unfinished += 1
            if let idle = state.idle.popLast() { return idle }
            if limit == 1 || state.workers == limit { return nil }
            state.workers += 1
            state.missing += 1
            return state.starter.take()
        }
        task?.resume()
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        let delivers = state.withLock { state in
            if state.isOver || state.completion != nil { return false }
            state.completion = completion
            state.subscription = nil
            if state.isDelivering || state.unfinished > 0 { return false }
            state.isDelivering = true
            return true
        }
        if delivers { deliver() }
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        let next: (Subscribers.Demand, any Subscription)? = state.withLock { state in
            if state.isOver { return nil }
            state.demand += demand
            // The delivering caller makes the requests afterwards.
            return state.isDelivering ? nil : room(&state)
        }
        if let (demand, upstream) = next { upstream.request(demand) }
    }

    @inlinable package func cancel() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        finish(old)
    }

    /// Finishes the running work, then ends; nothing could send more, or receive it.
    @inlinable package func abandon() {
        let isIdle = state.withLock { state in
            state.isAbandoned = true
            return state.unfinished == 0 && !state.isDelivering
        }
        if isIdle { cancel() }
    }

    @inlinable func finish(_ old: State) {
        old.subscription?.cancel()
        old.task?.cancel()
        for task in old.idle { task.resume() }
        old.starter?.resume()
    }
}

/// Held by the upstream and downstream of a `WorkConduit`: when it is released, nothing refers to the conduit any more.
@usableFromInline package final class WorkTether<Input, Output, Failure: Error>: ServedSource {
    @usableFromInline package let conduit: WorkConduit<Input, Output, Failure>

    @inlinable package init(_ conduit: WorkConduit<Input, Output, Failure>) { self.conduit = conduit }

    @inlinable deinit { conduit.abandon() }

    @inlinable package func request(_ demand: Subscribers.Demand) { conduit.request(demand) }

    @inlinable package func cancel() { conduit.cancel() }

    @inlinable package func abandon() {}
}

/// The subscriber to the upstream of a `WorkConduit`.
@usableFromInline package final class WorkInlet<Input, InputFailure: Error, Output, Failure: Error>: Subscriber {
    @usableFromInline let conduit: WorkConduit<Input, Output, Failure>

    @usableFromInline let name: StaticString

    /// `nil` if upstream can't fail.
    @usableFromInline let translate: ((InputFailure) -> Failure)?

    @usableFromInline let end: Guarded<WorkTether<Input, Output, Failure>?>

    @inlinable package init(
        _ conduit: WorkConduit<Input, Output, Failure>, name: StaticString,
        translate: ((InputFailure) -> Failure)?
    ) {
        self.conduit = conduit
        self.name = name
        self.translate = translate
        nonisolated(unsafe) let tether: WorkTether? = WorkTether(conduit)
        end = Guarded(tether)
    }

    @inlinable package func receive(subscription: any Subscription) {
        guard conduit.connect(to: subscription), let tether = end.withLock({ $0 }),
            let downstream = conduit.state.withLock({ $0.downstream })
        else { return subscription.cancel() }
        downstream.receive(subscription: SourceSubscription(tether, name: name, isPatient: true))
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        conduit.receive(input)
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<InputFailure>) {
        switch completion {
        case .failure(let failure): if let translate { conduit.receive(completion: .failure(translate(failure))) }
        case .finished: conduit.receive(completion: .finished)
        }
        // Outside the lock.
        _ = end.withLock { $0.take() }
    }
}
