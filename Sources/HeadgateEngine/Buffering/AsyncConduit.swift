import HeadgateCore
import Synchronization

/// Receives values on any thread, and passes them to the tasks that await them.
// Threads share only what the lock guards; the rest belongs to the pulling task. Values move from the publishing
// thread to the waiting task; the author of the pipeline is responsible for that, as everywhere in it.
@usableFromInline package final class AsyncConduit<Output, Failure: Error>: Subscriber, @unchecked Sendable {
    @usableFromInline package typealias Input = Output

    @usableFromInline package struct State {
        @usableFromInline package var buffer = Queue<Output>()

        @usableFromInline package var subscription: ConduitSubscription?

        /// How values are requested; known once the subscription has arrived.
        @usableFromInline package var mode = AsyncMode.single

        /// How the stream has completed or been cancelled.
        @usableFromInline package var completion: Subscribers.Completion<Failure>?

        /// The waiting tasks.
        @usableFromInline package var waiting = Queue<UnsafeContinuation<Void, Never>>()

        /// How many values have been requested one by one but not received.
        @usableFromInline package var requested = 0

        /// How many values have been consumed without requesting others in their place.
        @usableFromInline package var taken = 0

        /// How many calls are in progress in which a source that waits for demand may fill the window.
        @usableFromInline package var refills = 0

        @usableFromInline package var hasWarned = false

        @inlinable package init() {}
    }

    /// The outcome of a poll.
    @usableFromInline package enum Polled {
        case value(Output)
        case ended(Subscribers.Completion<Failure>)
        /// There is no value now; the task has to wait.
        case nothing
    }

    /// What a task finds.
    @usableFromInline package enum Finding {
        case value(Output)
        /// A value, and what to request from which subscription to replace the consumed values.
        case refill(Output, ConduitSubscription, Subscribers.Demand)
        case ended(Subscribers.Completion<Failure>)
        /// No value, but a subscription that may deliver one immediately.
        case requestable(ConduitSubscription)
        case nothing
    }

    @usableFromInline package let state = Guarded(State())

    /// Who may request from a source that delivers immediately.
    @usableFromInline package enum Turn: UInt8, AtomicRepresentable {
        /// Nobody: there is no such source, or it has completed.
        case closed
        /// Any task.
        case free
        /// The task that has taken the turn.
        case taken
    }

    @usableFromInline package let buffering: AsyncPolicy

    @usableFromInline package let turn = Atomic(Turn.closed)

    /// Whether a task waits for another that is pulling.
    @usableFromInline package let isPullAwaited = Atomic(false)

    /// The source that delivers immediately.
    // Confined to the task that has taken the turn, and to the caller that opens it or closes it while it is free.
    @exclusivity(unchecked) @usableFromInline package var source: ConduitSubscription?

    /// The value that the source has delivered to the pulling task.
    // Confined to that task's thread.
    @exclusivity(unchecked) @usableFromInline package var pulled: Output?

    @inlinable package init(_ buffering: AsyncPolicy) {
        switch buffering {
        case .bounded(let count) where count < 1, .newest(let count) where count < 1:
            programmerError(
                rule: "A buffer must hold at least one value.", found: "\(buffering)",
                remedy: "Use .onDemand to buffer nothing.")
        default:
            self.buffering = buffering
        }
    }

    /// Subscribes to a publisher; one that waits for demand may fill the first window before this returns.
    @inlinable package func subscribe(to publisher: some Publisher<Output, Failure>) {
        state.withLock { $0.refills += 1 }
        publisher.receive(subscriber: self)
        state.withLock { $0.refills -= 1 }
    }

    @inlinable package func receive(subscription: any Subscription) {
        let subscription = ConduitSubscription.holding(subscription)
        let mode = AsyncMode(buffering, for: subscription)
        let demand: Subscribers.Demand? = state.withLock { state in
            if state.subscription != nil || state.completion != nil { return nil }
            state.subscription = subscription
            state.refills += 1
            if case .direct = mode {
                // The demand of the tasks that arrived before the subscription is answered through the buffer.
                if state.requested > 0 { return .max(state.requested) }
                source = subscription
                turn.store(.free, ordering: .releasing)
            }
            state.mode = mode
            return mode.initialDemand ?? .max(state.requested)
        }
        guard let demand else { return subscription.cancel() }
        refill(demand, from: subscription)
    }

    /// Requests a window, which a source that waits for demand may fill before this returns.
    @inlinable package func refill(_ demand: Subscribers.Demand, from subscription: ConduitSubscription) {
        if demand > .none { subscription.request(demand) }
        state.withLock { $0.refills -= 1 }
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        // The owner of the turn is the caller of this, through its request.
        if turn.load(ordering: .relaxed) == .taken, pulled == nil {
            pulled = input
        } else {
            buffer(input)
        }
        return .none
    }

    @inlinable package func buffer(_ input: Output) {
        // The displaced value is released here, outside the lock.
        let (task, _, warns): (UnsafeContinuation<Void, Never>?, Output?, Bool) = state.withLock { state in
            if state.completion != nil { return (nil, nil, false) }
            state.buffer.append(input)
            if state.requested > 0 { state.requested -= 1 }
            var displaced: Output?
            var warns = false
            switch state.mode {
            case .latest(let count):
                if state.buffer.count > count { displaced = state.buffer.popFirst() }
            case .direct:
                // It doesn't deliver as it says.
                closeTurn(&state)
            case .window(let size, _, isKnownToWait: false):
                warns = state.buffer.count == size && state.refills == 0 && !state.hasWarned
                if warns { state.hasWarned = true }
            default:
                break
            }
            return (state.waiting.popFirst(), displaced, warns)
        }
        task?.resume()
        if warns { warnOfFullBuffer() }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !end(completion, isCancelled: false) { Undeliverable.note(completion) }
    }

    /// Cancels upstream and resumes all waiting tasks.
    @inlinable package func cancel() {
        end(.finished, isCancelled: true)
    }

    /// Ends the stream.
    ///
    /// - Returns: Whether that was new, or a cancellation.
    @inlinable @discardableResult package func end(
        _ completion: Subscribers.Completion<Failure>, isCancelled: Bool
    ) -> Bool {
        let old: State? = state.withLock { state in
            if state.completion != nil, !isCancelled { return nil }
            let old = state
            state.completion = state.completion ?? completion
            state.subscription = nil
            state.waiting = Queue()
            if isCancelled { state.buffer = Queue() }
            if case .direct = state.mode { closeTurn(&state) }
            return old
        }
        if isCancelled { old?.subscription?.cancel() }
        guard var tasks = old?.waiting else { return false }
        while let task = tasks.popFirst() { task.resume() }
        return true
    }

    /// Polls for the calling task; requests a value first if there is none.
    @inlinable package func poll() -> Polled {
        if Task.isCancelled {
            cancel()
            return .ended(.finished)
        }
        if let value = pull() { return .value(value) }
        while true {
            switch take() {
            case .value(let value):
                return .value(value)
            case .refill(let value, let upstream, let demand):
                refill(demand, from: upstream)
                return .value(value)
            case .ended(let completion):
                return .ended(completion)
            case .requestable(let upstream):
                upstream.request(.max(1))
            case .nothing:
                return .nothing
            }
        }
    }

    /// Requests a value from a source that delivers immediately, and takes it directly: no lock, and no buffer.
    ///
    /// - Returns: `nil` if there is no such source, if it has completed, or if another task is pulling.
    @inlinable @inline(__always) package func pull() -> Output? {
        guard turn.load(ordering: .relaxed) == .free,
            turn.compareExchange(expected: .free, desired: .taken, ordering: .acquiring).exchanged
        else { return nil }
        // Not retained: nobody else releases it while this task has the turn.
        Unmanaged.passUnretained(source.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.request(.max(1)) }
        let value = pulled.take()
        let isOver =
            value == nil
            || !turn.compareExchange(expected: .taken, desired: .free, ordering: .sequentiallyConsistent).exchanged
        if isOver {
            stopPulling(isLate: value == nil)
        } else if isPullAwaited.load(ordering: .sequentiallyConsistent) {
            wakeOne()
        }
        return value
    }

    /// Ends pulling, by the task that has the turn: the source has completed, or does not deliver as it says.
    @usableFromInline package func stopPulling(isLate: Bool) {
        source = nil
        var tasks = state.withLock { state in
            if state.completion == nil {
                turn.store(.closed, ordering: .relaxed)
                state.mode = .single
                if isLate { state.requested += 1 }
            }
            return exchange(&state.waiting, with: Queue())
        }
        while let task = tasks.popFirst() { task.resume() }
    }

    /// Lets nobody else pull; the task that has the turn notices when it returns it.
    @inlinable func closeTurn(_ state: inout State) {
        state.mode = .single
        // The state holds the source, too, so it isn't released here. Acquiring: the last task that has pulled has read
        // it.
        if turn.exchange(.closed, ordering: .acquiring) == .free { source = nil }
    }

    /// Resumes the task that has waited longest for another to finish pulling.
    @usableFromInline package func wakeOne() {
        let task: UnsafeContinuation<Void, Never>? = state.withLock { state in
            let task = state.waiting.popFirst()
            // Relaxed: tasks store it under this lock, too, and only their stores have to be seen.
            isPullAwaited.store(!state.waiting.isEmpty, ordering: .relaxed)
            return task
        }
        task?.resume()
    }

    @inlinable package func take() -> Finding {
        state.withLock { state in
            if let value = state.buffer.popFirst() {
                guard case .window(_, let step, _) = state.mode else { return .value(value) }
                state.taken += 1
                guard state.taken >= step, let subscription = state.subscription else { return .value(value) }
                state.taken = 0
                state.refills += 1
                return .refill(value, subscription, .max(step))
            }
            if let completion = state.completion {
                // A failure is reported once.
                state.completion = .finished
                return .ended(completion)
            }
            // Before the subscription has arrived, demand is only counted.
            guard case .single = state.mode, state.requested == 0 else { return .nothing }
            state.requested = 1
            return state.subscription.map { .requestable($0) } ?? .nothing
        }
    }

    /// Suspends the task until there may be something for it.
    @inlinable package func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in self.await(task) }
        } onCancel: {
            cancel()
        }
    }

    /// Adds a task to the waiting ones, unless there is something for it already.
    // Specialised: a loop that is faster than its source comes here for each value.
    @inlinable @inline(never) package func await(_ task: UnsafeContinuation<Void, Never>) {
        let (isOver, upstream): (Bool, ConduitSubscription?) = state.withLock { state in
            if !state.buffer.isEmpty || state.completion != nil { return (true, nil) }
            switch state.mode {
            case .direct:
                isPullAwaited.store(true, ordering: .sequentiallyConsistent)
                if turn.load(ordering: .sequentiallyConsistent) != .taken { return (true, nil) }
                state.waiting.append(task)
            case .single:
                state.waiting.append(task)
                // There is one unit of demand per waiting task.
                if state.requested < state.waiting.count {
                    state.requested += 1
                    return (false, state.subscription)
                }
            case .window, .latest:
                state.waiting.append(task)
            }
            return (false, nil)
        }
        if isOver { task.resume() }
        upstream?.request(.max(1))
    }
}
