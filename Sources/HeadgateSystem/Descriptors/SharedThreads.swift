#if os(Linux)
    @preconcurrency import Dispatch
    import HeadgateEngine

    /// Threads for jobs that never block, about one per processor: each runs one serial queue after the other.
    ///
    /// A request to Dispatch costs more than most jobs, so there is one for many queues that become busy together. One is always
    /// under way while a queue waits: a subscriber that blocks its thread delays no other stream.
    final class SharedThreads: Sendable {
        static let shared = SharedThreads()

        private struct State {
            var ready = Queue<SerialJobs>()
            /// Whether a requested thread has not begun yet.
            var isRequested = false
        }

        /// How many queues a thread runs before the program's own work on Dispatch has a turn.
        private static let turns = 64

        private let state = Guarded(State())

        /// Runs the jobs of a queue, after those of the queues that became busy earlier.
        func run(_ jobs: SerialJobs) {
            let isFirst = state.withLock { state in
                state.ready.append(jobs)
                return !exchange(&state.isRequested, with: true)
            }
            if isFirst { requestThread() }
        }

        private func requestThread() {
            DispatchQueue.global().async { self.serve() }
        }

        /// Runs some queues, not all: while others wait, a request is under way.
        private func serve() {
            state.withLock { $0.isRequested = false }
            for _ in 0..<Self.turns {
                guard let jobs = next() else { return }
                jobs.runWaiting()
            }
        }

        private func next() -> SerialJobs? {
            let (jobs, needsThread) = state.withLock { state -> (SerialJobs?, Bool) in
                let jobs = state.ready.popFirst()
                let needsThread = !state.ready.isEmpty && !state.isRequested
                if needsThread { state.isRequested = true }
                return (jobs, needsThread)
            }
            if needsThread { requestThread() }
            return jobs
        }
    }
#endif
