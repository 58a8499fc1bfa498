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
        @usableFromInline package var waiting: [UnsafeContinuation<Void, Never>] = []

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
        /// No value, but a subscription that delivers one immediately; no other task is pulling.
        case pullable(ConduitSubscription)
        case nothing
    }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let buffering: AsyncPolicy

    /// Whether a task is inside a request to a source that delivers immediately.
    @usableFromInline package let isPulling = Atomic(false)

    /// Whether a task waits for another that is pulling.
    @usableFromInline package let isPullAwaited = Atomic(false)

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
            state.mode = mode
            state.refills += 1
            // The demand of the tasks that arrived before the subscription.
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
        // The owner of the flag is the caller of this, through its request.
        if isPulling.load(ordering: .relaxed), pulled == nil {
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
            case .window(let size, _, isKnownToWait: false):
                warns = state.buffer.count == size && state.refills == 0 && !state.hasWarned
                if warns { state.hasWarned = true }
            default:
                break
            }
            return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), displaced, warns)
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
            state.waiting = []
            if isCancelled { state.buffer = Queue() }
            return old
        }
        if isCancelled { old?.subscription?.cancel() }
        old?.waiting.forEach { $0.resume() }
        return old != nil
    }

    /// Polls for the calling task; requests a value first if there is none.
    @inlinable package func poll() -> Polled {
        if Task.isCancelled {
            cancel()
            return .ended(.finished)
        }
        while true {
            switch take() {
            case .value(let value):
                return .value(value)
            case .refill(let value, let upstream, let demand):
                refill(demand, from: upstream)
                return .value(value)
            case .ended(let completion):
                return .ended(completion)
            case .pullable(let upstream):
                if let value = pull(from: upstream) { return .value(value) }
            case .requestable(let upstream):
                upstream.request(.max(1))
            case .nothing:
                return .nothing
            }
        }
    }

    /// Requests a value from a source that delivers immediately, and takes it directly: no lock, and no buffer.
    @inlinable package func pull(from upstream: ConduitSubscription) -> Output? {
        upstream.request(.max(1))
        let value = pulled.take()
        if value == nil {
            // It has completed; or it will deliver later, contrary to its traits.
            state.withLock { if $0.completion == nil { $0.requested += 1 } }
        }
        isPulling.store(false, ordering: .sequentiallyConsistent)
        if isPullAwaited.load(ordering: .sequentiallyConsistent) { wakeOne() }
        return value
    }

    /// Resumes the task that has waited longest for another to finish pulling.
    @usableFromInline package func wakeOne() {
        let task: UnsafeContinuation<Void, Never>? = state.withLock { state in
            let task = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            isPullAwaited.store(!state.waiting.isEmpty, ordering: .sequentiallyConsistent)
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
            switch state.mode {
            case .direct where state.requested == 0:
                guard let subscription = state.subscription, !isPulling.load(ordering: .acquiring) else {
                    return .nothing
                }
                isPulling.store(true, ordering: .sequentiallyConsistent)
                return .pullable(subscription)
            case .single where state.requested == 0:
                // Before the subscription has arrived, demand is only counted.
                state.requested = 1
                return state.subscription.map { .requestable($0) } ?? .nothing
            default:
                return .nothing
            }
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
    @usableFromInline package func await(_ task: UnsafeContinuation<Void, Never>) {
        let (isOver, upstream): (Bool, ConduitSubscription?) = state.withLock { state in
            if !state.buffer.isEmpty || state.completion != nil { return (true, nil) }
            switch state.mode {
            case .direct where state.requested == 0:
                isPullAwaited.store(true, ordering: .sequentiallyConsistent)
                if !isPulling.load(ordering: .sequentiallyConsistent) { return (true, nil) }
                state.waiting.append(task)
            case .direct, .single:
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

/// Cancels when the last iterator has been released.
@usableFromInline package final class AsyncReader<Output, Failure: Error> {
    @usableFromInline package let conduit: AsyncConduit<Output, Failure>

    @inlinable package init(_ conduit: AsyncConduit<Output, Failure>) { self.conduit = conduit }

    @inlinable deinit { conduit.cancel() }
}
