import HeadgateCore

/// Resumes a task once, with the outcome of writing, or with `nil` if it was cancelled.
final class WritingOutcome<Failure: Error>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Written<Failure>?, Never>?
        var cancellable: AnyCancellable?
        var isOver = false
    }

    private let state = Guarded(State())

    /// Stores the waiting task.
    func wait(with continuation: CheckedContinuation<Written<Failure>?, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Stores the cancellable of the writing; cancels it immediately if the task has been cancelled.
    func cancel(with cancellable: AnyCancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.cancellable = cancellable }
            return state.isOver
        }
        if isOver { end(nil, cancelling: cancellable) }
    }

    /// Resumes the task with the outcome.
    func resume(_ result: Written<Failure>) { end(result, cancelling: nil) }

    /// Cancels the writing because the task is cancelled.
    func cancel() {
        let cancellable = state.withLock { state in
            state.isOver = true
            return state.cancellable.take()
        }
        // If there is none, writing has not begun, or has ended.
        if let cancellable { end(nil, cancelling: cancellable) }
    }

    private func end(_ result: Written<Failure>?, cancelling cancellable: AnyCancellable?) {
        cancellable?.cancel()
        let (continuation, old) = state.withLock { state in
            state.isOver = true
            return (state.continuation.take(), state.cancellable.take())
        }
        continuation?.resume(returning: result)
        withExtendedLifetime(old) {}
    }
}

extension Written {
    /// Waits for the outcome of what `write` begins to write; `nil` if the task is cancelled.
    @usableFromInline static func outcome(
        ofWriting write: (_ receiveEnd: @escaping @Sendable (Written<Failure>) -> Void) -> any Cancellable & Sendable
    ) async -> Written<Failure>? {
        let outcome = WritingOutcome<Failure>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                outcome.wait(with: continuation)
                let writing = write(outcome.resume)
                outcome.cancel(with: AnyCancellable(writing))
            }
        } onCancel: {
            outcome.cancel()
        }
    }
}
