#if os(Linux)
    import HeadgateCore

    /// How many programs have been started and not ended.
    final class Children: Sendable {
        private struct State {
            var count = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        static let shared = Children()

        private let state = Guarded(State())

        /// Notes that one is about to be started.
        func begin() { state.withLock { $0.count += 1 } }

        /// Notes that one has ended.
        func end() {
            let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.count -= 1
                return state.count == 0 ? exchange(&state.waiting, with: []) : []
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Waits until there is none.
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
