import HeadgateEngine

/// What a task or job of a `WorkConduit` holds: the value that it processes, and then the result.
// An object, whose members code that is not specialised changes without looking up the types of both.
@usableFromInline package final class WorkSlot<Input, Output> {
    /// The number of the value.
    @exclusivity(unchecked) @usableFromInline package var number = 0

    @exclusivity(unchecked) @usableFromInline var input: Input?

    /// The result; `nil` if the value is dropped.
    @exclusivity(unchecked) @usableFromInline package var output: Output?

    @inlinable package init() {}

    @inlinable package func takeInput() -> Input {
        defer { input = nil }
        return input.unsafelyUnwrapped
    }
}

/// What a task or job of a `WorkConduit` does next.
@usableFromInline package enum WorkFinding {
    /// Processes the value in its slot.
    case input
    case nothing
    case over
}

/// Who is to process a value that has arrived, or to deliver what is due.
@usableFromInline package enum WaitingWorker {
    case task(UnsafeContinuation<Void, Never>)
    /// A job that has to be started.
    case job
    /// Those that process values already.
    case nobody
}

/// What a caller that delivers does next.
@usableFromInline package enum WorkStep {
    /// Delivers the result that is next.
    case value
    case request(Subscribers.Demand, ConduitSubscription)
    /// Requests one value from a source that delivers it immediately.
    case pull(ConduitSubscription)
    /// Cancels what is under way, while results wait for demand before the failure.
    case stop(RunningWork)
    /// Wakes a task or job, to which the results that are due are left.
    case leave(WaitingWorker)
    case end
    /// Nothing: what a task does next is known.
    case rest(WorkFinding)
}

/// Upstream and the tasks, in the order in which they are cancelled.
@usableFromInline package struct RunningWork {
    @usableFromInline var subscription: ConduitSubscription?

    @usableFromInline var task: Task<Void, Never>?

    /// The tasks that wait for values.
    @usableFromInline var idle: [UnsafeContinuation<Void, Never>] = []

    /// The task that starts others, while it waits.
    @usableFromInline var starter: UnsafeContinuation<Void, Never>?

    @inlinable init() {}

    @inlinable var isNothing: Bool { task == nil && subscription == nil && idle.isEmpty && starter == nil }

    @inlinable func cancel() {
        subscription?.cancel()
        task?.cancel()
        for task in idle { task.resume() }
        starter?.resume()
    }
}
