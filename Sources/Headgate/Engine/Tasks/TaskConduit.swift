import HeadgateEngine

/// Serves one subscriber from a task, which starts with the subscription and waits for demand before it delivers each
/// value.
// Threads share only what a lock guards. Only the task delivers, so deliveries are serial.
@usableFromInline package final class TaskConduit<Output, Failure: Error>: ServedSource, @unchecked Sendable {
    @usableFromInline package struct State {
        @usableFromInline package var demand = Subscribers.Demand.none

        @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

        @usableFromInline package var task: Task<Void, Never>?

        /// The task, while it waits for demand.
        @usableFromInline package var waiting: UnsafeContinuation<Void, Never>?

        /// Whether the code that runs in the task has cancelled it.
        @usableFromInline package var isInterrupted = false

        /// Whether the subscription has been released, so that no more than the outstanding demand can be delivered.
        @usableFromInline package var isAbandoned = false

        @inlinable package init() {}

        /// Whether the subscriber has cancelled or received the completion.
        @inlinable package var isOver: Bool { downstream == nil }

        /// Whether there is demand now; `nil` if that isn't known yet.
        @inlinable var isWanted: Bool? {
            if isOver || isInterrupted { return false }
            if demand > .none { return true }
            return isAbandoned ? false : nil
        }
    }

    @usableFromInline package let state = Guarded(State())

    @inlinable package init(_ downstream: AnySubscriber<Output, Failure>) {
        state.withLock { $0.downstream = downstream }
    }

    /// Attaches a subscriber to what a task delivers.
    ///
    /// - Parameter body: The task's work, once there is demand, with the task-locals of the caller. The stream finishes
    ///   when it returns, and fails with what it throws. It runs once, and only in that task, so its captures need not be
    ///   `Sendable`.
    @inlinable package static func connect(
        _ subscriber: some Subscriber<Output, Failure>, name: StaticString,
        _ body: @escaping (TaskConduit) async throws(Failure) -> Void
    ) {
        let conduit = TaskConduit(AnySubscriber(subscriber))
        subscriber.receive(subscription: SourceSubscription(conduit, name: name, isPatient: true))
        let serve: (TaskConduit) async -> Void = { conduit in
            guard await conduit.awaitDemand() else { return }
            do throws(Failure) {
                try await body(conduit)
                conduit.finish(.finished)
            } catch {
                conduit.finish(.failure(error))
            }
        }
        conduit.start(UncheckedSendable(serve))
    }

    @inlinable package func start(_ body: UncheckedSendable<(TaskConduit) async -> Void>) {
        if state.withLock({ $0.isOver }) { return }
        let task = StreamTask.start { await body.value(self) }
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    /// Waits until there is demand; called by the task.
    ///
    /// - Returns: Whether there is. If not, the subscriber has gone.
    @inlinable package nonisolated(nonsending) func awaitDemand() async -> Bool {
        if let isWanted {
            if !isWanted { leave() }
            return isWanted
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in self.wait(task) }
        } onCancel: {
            interrupt()
        }
        if isWanted == true { return true }
        leave()
        return false
    }

    /// Whether there is demand now; `nil` if that isn't known yet.
    @inlinable package var isWanted: Bool? { state.withLock { $0.isWanted } }

    /// Cancels the stream if the subscription has been released.
    @inlinable package func leave() {
        if state.withLock({ $0.isAbandoned }) { cancel() }
    }

    @inlinable package func wait(_ task: UnsafeContinuation<Void, Never>) {
        let waits = state.withLock { state in
            if state.isWanted != nil { return false }
            state.waiting = task
            return true
        }
        if !waits { task.resume() }
    }

    @inlinable package func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            return state.waiting.take()
        }?.resume()
    }

    /// Delivers a value for which there is demand; called by the task.
    ///
    /// - Returns: Whether there is demand for another. If not, there may be later: `awaitDemand()` knows.
    @inlinable @discardableResult package func deliver(_ value: Output) -> Bool {
        let receiver: Receiver<Output>? = state.withLock { state in
            guard state.demand > .none else { return nil }
            state.demand -= 1
            return state.downstream.map { Receiver($0) }
        }
        guard let receiver else { return false }
        let more = receiver.receive(value)
        return state.withLock { state in
            state.demand += more
            return state.isWanted ?? false
        }
    }

    /// Completes the stream; called by the task.
    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) {
        end().downstream?.receive(completion: completion)
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        state.withLock { state in
            state.demand += demand
            return state.waiting.take()
        }?.resume()
    }

    /// Leaves the task what has been requested to deliver; without any, cancels it.
    @inlinable package func abandon() {
        let isIdle = state.withLock { state in
            state.isAbandoned = true
            return state.waiting != nil
        }
        if isIdle { cancel() }
    }

    @inlinable package func cancel() {
        let old = end()
        old.task?.cancel()
        old.waiting?.resume()
    }

    /// Releases everything, and returns the old state to be released outside the lock.
    // Not by `exchange`: code that is not specialised would look up the type of the state once more.
    @inlinable package func end() -> State {
        state.withLock { state in
            let old = state
            state = State()
            return old
        }
    }
}
