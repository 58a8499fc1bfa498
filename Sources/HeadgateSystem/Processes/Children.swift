#if os(Linux)
    /// The number of programs that have been started and have not ended.
    final class Children: Sendable {
        private struct State {
            var count = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        static let shared = Children()

        private let state = Guarded(State())

        /// Records that one is about to be started.
        func begin() { state.withLock { $0.count += 1 } }

        /// Records that one has ended.
        func end() {
            let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.count -= 1
                return state.count == 0 ? exchange(&state.waiting, with: []) : []
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Waits until none is left.
        func untilNoneIsLeft() async {
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    if state.count > 0 { state.waiting.append(continuation) }
                    return state.count == 0
                }
                if isIdle { continuation.resume() }
            }
        }
    }
#endif
