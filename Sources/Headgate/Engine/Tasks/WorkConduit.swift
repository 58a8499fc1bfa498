import HeadgateEngine
import Synchronization

/// Processes the values of upstream in a limited number of tasks or jobs, and delivers the results.
///
/// Nothing is requested from upstream before the first demand. From then on, as many values as the limit are under way,
/// whatever is requested at a time: requested, processed, or waiting for their turn or for demand. So a subscriber that
/// requests one value at a time doesn't stop work ahead, and no more results than the limit wait. A conduit that doesn't
/// work ahead has no more under way than is requested, so its results never wait for demand.
///
/// The tasks are few and process one value after the other. They are started when they are needed, by one that has the
/// task-locals of the subscribing code. Jobs are started when values arrive that nobody processes.
///
/// The caller that makes results due delivers them, unless another does already. Who requests delivers what has waited
/// for demand, and leaves what becomes due meanwhile to a task or job.
// Threads share only what the lock guards.
// The state is made of members and not of a type: code that is not specialised would look that up for each value.
@usableFromInline package final class WorkConduit<Input, Output, Failure: Error>: ServedSource, @unchecked Sendable {
    @usableFromInline package typealias Slot = WorkSlot<Input, Output>

    @usableFromInline let lock = Lock()

    // Guarded by the lock, as is everything up to `isAbandoned`.
    /// The subscriber's outstanding demand.
    @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none

    /// Whether the subscriber has requested anything.
    @exclusivity(unchecked) @usableFromInline var isRequested = false

    /// Requested from upstream and neither delivered nor dropped.
    @exclusivity(unchecked) @usableFromInline var underWay = 0

    /// Values that no task processes yet.
    @exclusivity(unchecked) @usableFromInline var inputs = Queue<Input>()

    /// How many values tasks have taken, which is the number of the next.
    @exclusivity(unchecked) @usableFromInline var takenCount = 0

    /// Values that have arrived and are neither delivered nor dropped.
    @exclusivity(unchecked) @usableFromInline var unfinished = 0

    /// Results until it is their turn; `nil` for a value that is dropped.
    @exclusivity(unchecked) @usableFromInline var results = OrderedWindow<Output?>()

    /// Results whose turn it is, until they are requested.
    @exclusivity(unchecked) @usableFromInline var due = Queue<Output>()

    @exclusivity(unchecked) @usableFromInline var isDelivering = false

    /// The completion to deliver once all values have been processed.
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

    /// Whether there is one.
    // Asked for each value: code that is not specialised would look up the type of the completion.
    @exclusivity(unchecked) @usableFromInline var isCompleting = false

    /// Whether the work on a value has failed, which waits for what is due, and for nothing else.
    @exclusivity(unchecked) @usableFromInline var hasFailed = false

    @exclusivity(unchecked) @usableFromInline var downstream: AnySubscriber<Output, Failure>?

    /// What is under way, to be cancelled at the end.
    @exclusivity(unchecked) @usableFromInline var running = RunningWork()

    /// Whether upstream delivers before a request returns.
    @exclusivity(unchecked) @usableFromInline var isDirect = false

    /// How many calls of the subscriber are inside a request to upstream.
    @exclusivity(unchecked) @usableFromInline var requests = 0

    @exclusivity(unchecked) @usableFromInline var workers = 0

    /// How many tasks are to be started.
    @exclusivity(unchecked) @usableFromInline var missing = 0

    /// Whether nothing is left that could request, cancel, or send.
    @exclusivity(unchecked) @usableFromInline var isAbandoned = false

    // Confined to the caller that delivers.
    /// The result that is delivered next, and to whom.
    @exclusivity(unchecked) @usableFromInline var outgoing: Output?

    @exclusivity(unchecked) @usableFromInline var receiver: Receiver<Output>?

    @usableFromInline let limit: Int

    @usableFromInline let isOrdered: Bool

    /// Whether values are processed before their results are requested.
    @usableFromInline let worksAhead: Bool

    /// What waits here, for the stage of a flow downstream, if there is one.
    // Written before anything is requested.
    @exclusivity(unchecked) @usableFromInline var counts: QueueCounts?

    /// Starts a job on a scheduler that processes values; `nil` if tasks process them.
    // Written before the conduit is connected.
    @exclusivity(unchecked) @usableFromInline var startJob: ((WorkConduit) -> Void)?

    /// Whether a task is inside a request to a source that delivers immediately; nobody else requests meanwhile.
    @usableFromInline let isPulling = Atomic(false)

    /// The slot of that task, until the value has arrived.
    // Confined to that task's thread.
    @exclusivity(unchecked) @usableFromInline var pulling: Slot?

    @inlinable package init(
        limit: Int, isOrdered: Bool, worksAhead: Bool = true, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.worksAhead = worksAhead
        self.downstream = downstream
        if QueueRegistry.isBound { counts = makeCounts() }
    }

    @inlinable @inline(never) func makeCounts() -> QueueCounts? {
        QueueCounts.register { [weak self] in
            guard let self else { return 0 }
            return lock.withLock { self.inputs.count + self.due.count + self.results.count }
        }
    }

    /// Receives the subscription.
    ///
    /// - Returns: The subscriber, if the subscription is the first, and needed.
    @inlinable package func connect(to subscription: any Subscription) -> AnySubscriber<Output, Failure>? {
        let subscription = ConduitSubscription.holding(subscription)
        let isDirect = subscription.traits.contains(.answersDemandAtOnce)
        return lock.withLock {
            if running.subscription != nil || isCompleting { return nil }
            guard let downstream else { return nil }
            running.subscription = subscription
            self.isDirect = isDirect
            return downstream
        }
    }

    @inlinable package func receive(_ input: Input) {
        // The task that pulls is the caller of this, through its request.
        if isPulling.load(ordering: .relaxed), let pulling {
            self.pulling = nil
            pulling.input = input
            return
        }
        wake(lock.withLock { isOver || isCompleting ? .nobody : keep(input) })
    }

    @inlinable func wake(_ worker: WaitingWorker) {
        switch worker {
        case .nobody: break
        case .task(let task): task.resume()
        case .job: startJob.unsafelyUnwrapped(self)
        }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        // The subscription is released outside the lock.
        let (isLate, delivers, subscription): (Bool, Bool, ConduitSubscription?) = lock.withLock {
            if isOver || isCompleting { return (true, false, nil) }
            self.completion = completion
            isCompleting = true
            let subscription = running.subscription.take()
            if isDelivering || unfinished > 0 { return (false, false, subscription) }
            isDelivering = true
            return (false, true, subscription)
        }
        withExtendedLifetime(subscription) {}
        if isLate { Undeliverable.note(completion) }
        if delivers { perform(.end, nil) }
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        let (next, waiting): ((Subscribers.Demand, ConduitSubscription)?, Int) = lock.withLock {
            if isOver { return (nil, 0) }
            self.demand += demand
            isRequested = true
            // The delivering caller delivers what waits, and makes the requests, afterwards.
            if isDelivering { return (nil, 0) }
            if !due.isEmpty {
                isDelivering = true
                return (nil, due.count)
            }
            guard let next = takeRoom() else { return (nil, 0) }
            requests += 1
            return (next, 0)
        }
        if waiting > 0 { perform(lock.withLock { nextStep(nil) }, nil, atMost: waiting) }
        guard let (demand, upstream) = next else { return }
        upstream.request(demand)
        lock.withLock { requests -= 1 }
    }

    @inlinable package func cancel() { dismantle().running?.cancel() }

    /// Finishes the work whose results are requested, then ends; nothing could send or request more.
    @inlinable package func abandon() {
        let isIdle = lock.withLock {
            isAbandoned = true
            return isComplete && !isDelivering
        }
        if isIdle { cancel() }
    }
}

// Called under the lock.
extension WorkConduit {
    @inlinable var isOver: Bool { downstream == nil }

    /// Whether no more values are processed, and no more results accepted.
    @inlinable var takesNoMore: Bool { isOver || hasFailed }

    /// Whether results would be lost if the stream completed now.
    @inlinable var owesResults: Bool { !(due.isEmpty && (hasFailed || unfinished == 0)) }

    /// Whether nothing remains to be done.
    @inlinable var isComplete: Bool {
        isAbandoned && (demand == .none || unfinished == 0) || isCompleting && !owesResults
    }

    /// How much more can be requested from upstream.
    @inlinable var room: Int {
        if !isRequested || running.subscription == nil || isCompleting { return 0 }
        return (worksAhead ? limit : min(limit, demand.max ?? limit)) - underWay
    }

    /// Computes how much more can be requested from upstream, and counts it as requested.
    @inlinable func takeRoom() -> (Subscribers.Demand, ConduitSubscription)? {
        let room = room
        guard room > 0, let subscription = running.subscription else { return nil }
        underWay += room
        return (.max(room), subscription)
    }

    /// Keeps a value for a task or a job.
    ///
    /// - Returns: Who is to be woken.
    @inlinable func keep(_ input: Input) -> WaitingWorker {
        unfinished += 1
        inputs.append(input)
        return takeWaiting()
    }

    /// Removes a task that waits, or counts one, or a job, that is to be started.
    @inlinable func takeWaiting() -> WaitingWorker {
        if let idle = running.idle.popLast() { return .task(idle) }
        if workers == limit { return .nobody }
        workers += 1
        if startJob != nil { return .job }
        missing += 1
        return running.starter.take().map { .task($0) } ?? .nobody
    }

    /// Gives a task the value that it processes next.
    @inlinable func takeInput(_ slot: Slot?) -> WorkFinding {
        if takesNoMore { return .over }
        guard let slot, !inputs.isEmpty else { return .nothing }
        slot.input = inputs.removeFirst()
        slot.number = takeNumber()
        return .input
    }

    @inlinable func takeNumber() -> Int {
        defer { takenCount += 1 }
        return takenCount
    }

    /// Removes what has to be cancelled at the end.
    @inlinable func takeRunning() -> RunningWork? {
        running.isNothing ? nil : exchange(&running, with: RunningWork())
    }
}
