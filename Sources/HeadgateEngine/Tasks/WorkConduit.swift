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
                await self.startWorkers()
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
        return task
    }

    /// Starts as many tasks as are needed.
    ///
    /// A group looks through its tasks when one of them ends, so a group that is full of them leaves the others to
    /// another one.
    @inlinable func startWorkers() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<256 {
                guard await needsWorker() else { return }
                group.addTask { await self.workOn() }
            }
            group.addTask { await self.startWorkers() }
        }
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

    @usableFromInline package enum Finding {
        case input(Int, Input)
        case nothing
        case over
    }

    @inlinable nonisolated(nonsending) func waitForInput() async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let waits = state.withLock { state in
                if state.takesNoMore || !state.inputs.isEmpty { return false }
                state.idle.append(task)
                return true
            }
            if !waits { task.resume() }
        }
    }

    @inlinable package func take() -> Finding {
        state.withLock { state in
            if state.takesNoMore { return .over }
            return state.inputs.popFirst().map { .input($0.number, $0.value) } ?? .nothing
        }
    }

    /// Waits until another task has to be started.
    @inlinable func needsWorker() async -> Bool {
        while true {
            let needs: Bool? = state.withLock { state in
                if state.takesNoMore { return false }
                if state.missing == 0 { return nil }
                state.missing -= 1
                return true
            }
            if let needs { return needs }
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    if state.takesNoMore || state.missing > 0 { return false }
                    state.starter = task
                    return true
                }
                if !waits { task.resume() }
            }
        }
    }

    /// Receives a result, and delivers what is due unless another caller does.
    ///
    /// The first failure ends the stream, whatever is under way: nothing that arrives after it is delivered.
    @inlinable package func complete(_ number: Int, _ result: WorkResult<Output, Failure>) {
        let delivers = state.withLock { state in
            if state.takesNoMore { return false }
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
            state.hasFailed = true
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
            if state.isComplete {
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
        let (isLate, delivers) = state.withLock { state in
            if state.isOver || state.completion != nil { return (true, false) }
            state.completion = completion
            state.subscription = nil
            if state.isDelivering || state.unfinished > 0 { return (false, false) }
            state.isDelivering = true
            return (false, true)
        }
        if isLate { Undeliverable.note(completion) }
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

    @usableFromInline package var queued: QueuedValues {
        let (waiting, upstream) = state.withLock { ($0.inputs.count + $0.due.count, $0.subscription) }
        let further = (upstream as? ConduitSubscription)?.queued ?? QueuedValues()
        return QueuedValues(waiting: waiting) + further
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
