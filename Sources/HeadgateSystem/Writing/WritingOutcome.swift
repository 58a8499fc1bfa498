import HeadgateCore

/// Resumes a task once, with how a writing has ended or with nothing where it was cancelled.
final class WritingOutcome<Failure: Error>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Written<Failure>?, Never>?
        var cancellable: AnyCancellable?
        var isOver = false
    }

    private let state = Guarded(State())

    /// Takes in the task that waits.
    func wait(with continuation: CheckedContinuation<Written<Failure>?, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Takes in what ends the writing; ends it at once where the task has been cancelled before.
    func cancel(with cancellable: AnyCancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.cancellable = cancellable }
            return state.isOver
        }
        if isOver { end(nil, cancelling: cancellable) }
    }

    /// Resumes the task with the end of the writing.
    func tell(_ result: Written<Failure>) { end(result, cancelling: nil) }

    /// Ends the writing because the task is cancelled.
    func cancel() {
        let cancellable = state.withLock { state in
            state.isOver = true
            return state.cancellable.take()
        }
        // Where there is none the writing has not begun, or is over.
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
