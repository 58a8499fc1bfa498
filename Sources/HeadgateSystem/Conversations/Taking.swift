/// One piece that a task waits for.
// The splitter is used by the task before it waits, and then by the closure that is called back: one at a time.
final class Taking<Failure: Error>: @unchecked Sendable {
    private struct State {
        var continuation: CheckedContinuation<Bytes?, any Error>?
        var isCancelled = false
    }

    private let unread: UnreadBytes<Failure>
    private let splitter: Splitter
    private let state = Guarded(State())

    init(from unread: UnreadBytes<Failure>, _ splitter: Splitter) {
        self.unread = unread
        self.splitter = splitter
    }

    /// Takes the piece, and waits for it if it has not arrived.
    func piece() async throws -> Bytes? {
        try unread.begin()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                proceed()
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            unread.wake()
        }
    }

    private func proceed() {
        if state.withLock({ $0.isCancelled }) { return end(.failure(CancellationError())) }
        do throws(Failure) {
            switch try unread.poll(splitter) {
            case .value(let piece), .last(let piece): end(.success(piece))
            case .finished: end(.success(nil))
            case .pending, .postponed:
                unread.wait { self.proceed() }
                // A cancellation in between has found no closure to call.
                if state.withLock({ $0.isCancelled }) { unread.wake() }
            }
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ result: Result<Bytes?, any Error>) {
        unread.end(splitter)
        state.withLock { $0.continuation.take() }?.resume(with: result)
    }
}
