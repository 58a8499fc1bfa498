import HeadgateCore

/// Takes values in from any thread, and hands them to tasks that come for them.
// Everything that threads share is behind the lock. Values go from the thread that publishes to the task that waits; that
// they may do so is for the author of the pipeline to know, as everywhere in it.
@usableFromInline package final class AsyncConduit<Output, Failure: Error>: Subscriber, @unchecked Sendable {
    @usableFromInline package typealias Input = Output

    @usableFromInline package struct State {
        @usableFromInline package var buffer = Queue<Output>()

        @usableFromInline package var subscription: (any Subscription)?

        /// How the stream has ended, or been cancelled.
        @usableFromInline package var completion: Subscribers.Completion<Failure>?

        /// The tasks that wait.
        @usableFromInline package var waiting: [UnsafeContinuation<Void, Never>] = []

        /// How many values have been asked for one by one and have not come.
        @usableFromInline package var owed = 0

        /// Whether values are asked for when a task comes for them.
        @usableFromInline package var isAskedOneByOne = false

        @inlinable package init() {}
    }

    /// What a task is told.
    @usableFromInline package enum Polled {
        case value(Output)
        case ended(Subscribers.Completion<Failure>)
        /// There is nothing now; the task has to wait.
        case nothing
    }

    /// What a task finds.
    @usableFromInline package enum Finding {
        /// A value, and whom to ask for one in its place.
        case value(Output, (any Subscription)?)
        case ended(Subscribers.Completion<Failure>)
        /// Nothing, but somebody to ask.
        case askable(any Subscription)
        case nothing
    }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let buffering: AsyncPolicy

    @inlinable package init(_ buffering: AsyncPolicy) {
        switch buffering {
        case .bounded(let count) where count < 1, .newest(let count) where count < 1:
            programmerError(
                rule: "A buffer holds one value at the least.", found: "\(buffering)",
                remedy: "Use .onDemand to buffer nothing.")
        default:
            self.buffering = buffering
        }
    }

    @inlinable package func receive(subscription: any Subscription) {
        let initial = initialDemand(of: subscription)
        let owed: Int? = state.withLock { state in
            if state.subscription != nil || state.completion != nil { return nil }
            state.subscription = subscription
            state.isAskedOneByOne = initial == nil
            return state.owed
        }
        guard let owed else { return subscription.cancel() }
        let demand = initial ?? .max(owed)
        if demand > .none { subscription.request(demand) }
    }

    /// What to ask for at the beginning; `nil` if values are to be asked for one by one.
    @inlinable package func initialDemand(of subscription: any Subscription) -> Subscribers.Demand? {
        switch buffering {
        case .onDemand: nil
        case .lossless: subscription.waitsForDemand ? nil : .unlimited
        case .bounded(let count): .max(count)
        case .newest: .unlimited
        }
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        // What is displaced is let go of here, outside the lock.
        let (task, _): (UnsafeContinuation<Void, Never>?, Output?) = state.withLock { state in
            if state.completion != nil { return (nil, nil) }
            state.buffer.append(input)
            state.owed -= 1
            var displaced: Output?
            if case .newest(let count) = buffering, state.buffer.count > count { displaced = state.buffer.popFirst() }
            return (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), displaced)
        }
        task?.resume()
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        end(completion, isCancelled: false)
    }

    /// Cancels upstream and ends every wait.
    @inlinable package func cancel() {
        end(.finished, isCancelled: true)
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>, isCancelled: Bool) {
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
    }

    /// What there is now for the task that calls; asks upstream first if there is nothing.
    @inlinable package func poll() -> Polled {
        if Task.isCancelled {
            cancel()
            return .ended(.finished)
        }
        while true {
            switch take() {
            case .value(let value, let upstream):
                upstream?.request(.max(1))
                return .value(value)
            case .ended(let completion):
                // A failure is told once.
                if case .failure = completion { state.withLock { $0.completion = .finished } }
                return .ended(completion)
            case .askable(let upstream):
                upstream.request(.max(1))
            case .nothing:
                return .nothing
            }
        }
    }

    @inlinable package func take() -> Finding {
        state.withLock { state in
            if let value = state.buffer.popFirst() {
                if case .bounded = buffering { return .value(value, state.subscription) }
                return .value(value, nil)
            }
            if let completion = state.completion { return .ended(completion) }
            if state.subscription != nil, !state.isAskedOneByOne { return .nothing }
            // There is one wish for each task that waits. Before the subscription has come, wishes are only counted.
            if state.owed > state.waiting.count { return .nothing }
            state.owed += 1
            return state.subscription.map { .askable($0) } ?? .nothing
        }
    }

    /// Suspends the task until there may be something for it.
    @inlinable package func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    if !state.buffer.isEmpty || state.completion != nil { return true }
                    state.waiting.append(task)
                    return false
                }
                if isOver { task.resume() }
            }
        } onCancel: {
            cancel()
        }
    }
}

/// Cancels when the last iterator has gone.
@usableFromInline package final class AsyncReader<Output, Failure: Error> {
    @usableFromInline package let conduit: AsyncConduit<Output, Failure>

    @inlinable package init(_ conduit: AsyncConduit<Output, Failure>) { self.conduit = conduit }

    @inlinable deinit { conduit.cancel() }
}
