import HeadgateCore
import HeadgateEngine
import Synchronization

/// The outcome of processing one value.
@usableFromInline package enum WorkResult<Output, Failure: Error> {
    case value(Output)
    /// The value is dropped.
    case skip
    case failure(Failure)
}

/// Processes the values of upstream in a limited number of tasks, and delivers the results.
///
/// Nothing is requested from upstream before the first demand. From then on, as many values as the limit are under way,
/// whatever is requested at a time: requested, processed, or waiting for their turn or for demand. So a subscriber that
/// requests one value at a time doesn't stop work ahead, and no more results than the limit wait. A conduit that doesn't
/// work ahead has no more under way than is requested, so its results never wait for demand.
///
/// The tasks are few and process one value after the other. They are started when they are needed, by one that has the
/// task-locals of the subscribing code.
// Threads share only what a lock guards. The caller that makes results due delivers them, unless
// another does already.
@usableFromInline package final class WorkConduit<Input, Output, Failure: Error>: ServedSource, @unchecked Sendable {
    @usableFromInline package typealias Work = (Input) async throws(Failure) -> WorkResult<Output, Failure>

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let limit: Int

    @usableFromInline package let isOrdered: Bool

    /// What waits here, for the stage of a flow downstream, if there is one.
    // Written before anything is requested.
    @exclusivity(unchecked) @usableFromInline var counts: QueueCounts?

    @usableFromInline package let work: Work

    /// Whether a task is inside a request to a source that delivers immediately; nobody else requests meanwhile.
    @usableFromInline package let isPulling = Atomic(false)

    /// The value that such a source has delivered to that task.
    // Confined to that task's thread.
    @exclusivity(unchecked) @usableFromInline package var pulled: Input?

    @inlinable package init(
        limit: Int, isOrdered: Bool, worksAhead: Bool = true, _ downstream: AnySubscriber<Output, Failure>,
        work: @escaping Work
    ) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.work = work
        state.withLock { state in
            state.downstream = downstream
            state.worksAhead = worksAhead
        }
        if QueueRegistry.isBound { counts = makeCounts() }
    }

    @inlinable @inline(never) func makeCounts() -> QueueCounts? {
        QueueCounts.register { [weak self] in self?.state.withLock { $0.waitingCount } ?? 0 }
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
            if !state.takesNoMore { state.task = task }
            return state.takesNoMore
        }
        if isOver { task.cancel() }
        return task
    }

    /// Starts as many tasks as are needed.
    ///
    /// A group looks through its tasks when one of them ends, so a group that is full of them leaves the others to
    /// another one.
    ///
    /// - Parameter isNeeded: Whether the first is known to be needed.
    @inlinable func startWorkers(isNeeded: Bool = false) async {
        // Before there is a group, which takes memory.
        if !isNeeded, !(await needsWorker()) { return }
        await withDiscardingTaskGroup { group in
            for _ in 0..<256 {
                group.addTask { await self.workOn() }
                guard await needsWorker() else { return }
            }
            group.addTask { await self.startWorkers(isNeeded: true) }
        }
    }

    /// Processes one value after the other.
    @inlinable func workOn() async {
        var finding = take()
        while true {
            switch finding {
            case .input(let number, let input):
                let result: WorkResult<Output, Failure>
                do throws(Failure) {
                    result = try await work(input)
                } catch {
                    result = .failure(error)
                }
                finding = perform(settle(number, result, isWorker: true), isWorker: true)
            case .over:
                return
            case .nothing:
                await waitForInput()
                finding = take()
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
        state.withLock { $0.takeInput() }
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
    @inlinable package func complete(_ number: Int, _ result: WorkResult<Output, Failure>) {
        _ = perform(settle(number, result, isWorker: false), isWorker: false)
    }

    /// What a caller that delivers does next.
    @usableFromInline enum Step {
        case value(Output, (Output) -> Subscribers.Demand)
        case request(Subscribers.Demand, ConduitSubscription)
        /// Requests one value from a source that delivers it immediately.
        case pull(ConduitSubscription)
        /// Cancels what is under way, while results wait for demand before the failure.
        case stop(Running)
        case end
        /// Nothing: what a task processes next is known.
        case rest(Finding)
    }

    /// Receives a result.
    ///
    /// The first failure ends the stream, whatever is under way: nothing that arrives after it is delivered.
    @inlinable func settle(_ number: Int, _ result: WorkResult<Output, Failure>, isWorker: Bool) -> Step {
        state.withLock { state in
            if state.takesNoMore { return .rest(.over) }
            let due = settle(number, result, &state)
            // What waits for demand comes before it.
            let goesFirst = !state.isDelivering && state.demand > .none && state.due.isEmpty
            if let due, !goesFirst { state.due.append(due) }
            settleFollowing(&state)
            if state.isDelivering { return .rest(isWorker ? state.takeInput() : .nothing) }
            state.isDelivering = true
            if goesFirst, let due, let receive = state.downstream?.onValue { return .value(due, receive) }
            return nextStep(&state, isWorker: isWorker)
        }
    }

    /// Counts a result, or keeps it until it is its turn.
    ///
    /// - Returns: The value that is due before all others.
    @inlinable func settle(_ number: Int, _ result: WorkResult<Output, Failure>, _ state: inout State) -> Output? {
        switch result {
        // A failure doesn't wait for its turn.
        case .failure: break
        case .value, .skip:
            if isOrdered, limit > 1, !state.results.skipFirst(number) {
                state.results.put(result, at: number)
                return nil
            }
        }
        return state.count(result)
    }

    /// Counts the results whose turn it is by now.
    @inlinable func settleFollowing(_ state: inout State) {
        // Before the loop, which begins by making the results its own.
        if !state.results.isFirstReady { return }
        while let result = state.results.popFirst() {
            if let value = state.count(result) { state.due.append(value) }
        }
    }

    /// Delivers what is due, requests what can be processed, and completes the stream when nothing remains.
    ///
    /// - Parameter isWorker: Whether the caller is a task, which then processes a value.
    @inlinable @discardableResult func perform(_ first: Step, isWorker: Bool) -> Finding {
        var step = first
        while true {
            switch step {
            case .value(let value, let receive):
                let more = receive(value)
                step = state.withLock { state in
                    state.finishDelivery(more)
                    return nextStep(&state, isWorker: isWorker)
                }
            case .request(let demand, let upstream):
                upstream.request(demand)
                step = state.withLock { nextStep(&$0, isWorker: isWorker) }
            case .pull(let upstream):
                step = pull(from: upstream)
            case .stop(let running):
                cancel(running)
                step = state.withLock { nextStep(&$0, isWorker: isWorker) }
            case .end:
                end()
                return .over
            case .rest(let finding):
                return finding
            }
        }
    }

    @inlinable func nextStep(_ state: inout State, isWorker: Bool) -> Step {
        if state.isOver { return .rest(.over) }
        if state.demand > .none, let value = state.due.popFirst(), let receive = state.downstream?.onValue {
            return .value(value, receive)
        }
        if state.isComplete { return .end }
        if state.hasFailed, let running = state.takeRunning() { return .stop(running) }
        if let (demand, upstream) = state.takeRoom(within: limit) {
            let pulls = isWorker && state.isDirect && state.requests == 0 && demand == .max(1)
            return pulls ? .pull(upstream) : .request(demand, upstream)
        }
        state.isDelivering = false
        return .rest(isWorker ? state.takeInput() : .nothing)
    }

    /// Requests a value from a source that delivers immediately, and takes it directly: it is queued only if the caller
    /// has something else to do.
    @inlinable func pull(from upstream: ConduitSubscription) -> Step {
        isPulling.store(true, ordering: .relaxed)
        upstream.request(.max(1))
        isPulling.store(false, ordering: .relaxed)
        let input = pulled.take()
        var task: UnsafeContinuation<Void, Never>?
        let step: Step = state.withLock { state in
            guard let input, !state.isOver else { return nextStep(&state, isWorker: true) }
            if state.inputs.isEmpty, state.due.isEmpty, !state.hasFailed, state.room(within: limit) <= 0 {
                state.isDelivering = false
                return .rest(.input(state.countInput(), input))
            }
            task = keep(input, &state)
            return nextStep(&state, isWorker: true)
        }
        task?.resume()
        return step
    }

    /// Completes the stream.
    @inlinable func end() {
        let old = takeState()
        // It may have been cancelled meanwhile.
        guard let downstream = old.downstream else { return }
        // The running work is cancelled, and so is upstream, before the completion is delivered.
        finish(old)
        if let completion = old.completion, !old.owesResults { downstream.receive(completion: completion) }
    }

    @inlinable func takeState() -> State {
        state.withLock { state in
            let old = state
            state = State()
            return old
        }
    }

    /// Receives the subscription.
    ///
    /// - Returns: Whether it is the first, and needed.
    @inlinable package func connect(to subscription: any Subscription) -> Bool {
        let subscription = ConduitSubscription.holding(subscription)
        let isDirect = subscription.traits.contains(.answersDemandAtOnce)
        return state.withLock { state in
            if state.isOver || state.subscription != nil || state.completion != nil { return false }
            state.subscription = subscription
            state.isDirect = isDirect
            return true
        }
    }

    @inlinable package func receive(_ input: Input) {
        // The task that pulls is the caller of this, through its request.
        if isPulling.load(ordering: .relaxed), pulled == nil { return pulled = input }
        let task: UnsafeContinuation<Void, Never>? = state.withLock { state in
            state.isOver || state.completion != nil ? nil : keep(input, &state)
        }
        task?.resume()
    }

    /// Keeps a value for a task.
    ///
    /// - Returns: A task to resume.
    @inlinable func keep(_ input: Input, _ state: inout State) -> UnsafeContinuation<Void, Never>? {
        state.inputs.append((state.countInput(), input))
        if let idle = state.idle.popLast() { return idle }
        if limit == 1 || state.workers == limit { return nil }
        state.workers += 1
        state.missing += 1
        return state.starter.take()
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
        if delivers { perform(.end, isWorker: false) }
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        let (next, delivers): ((Subscribers.Demand, ConduitSubscription)?, Bool) = state.withLock { state in
            if state.isOver { return (nil, false) }
            state.demand += demand
            state.isRequested = true
            // The delivering caller delivers what waits, and makes the requests, afterwards.
            if state.isDelivering { return (nil, false) }
            if !state.due.isEmpty {
                state.isDelivering = true
                return (nil, true)
            }
            guard let next = state.takeRoom(within: limit) else { return (nil, false) }
            state.requests += 1
            return (next, false)
        }
        if delivers { perform(state.withLock { nextStep(&$0, isWorker: false) }, isWorker: false) }
        guard let (demand, upstream) = next else { return }
        upstream.request(demand)
        state.withLock { $0.requests -= 1 }
    }

    @inlinable package func cancel() { finish(takeState()) }

    /// Finishes the work whose results are requested, then ends; nothing could send or request more.
    @inlinable package func abandon() {
        let isIdle = state.withLock { state in
            state.isAbandoned = true
            return state.isComplete && !state.isDelivering
        }
        if isIdle { cancel() }
    }

    @inlinable func finish(_ old: State) {
        var old = old
        if let running = old.takeRunning() { cancel(running) }
    }

    @inlinable func cancel(_ running: Running) {
        running.subscription?.cancel()
        running.task?.cancel()
        for task in running.idle { task.resume() }
        running.starter?.resume()
    }
}
