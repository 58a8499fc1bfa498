#if os(Linux)
    @preconcurrency import Dispatch
    import HeadgateCore
    import HeadgateEngine

    /// Jobs that run one after the other, on threads that all streams share.
    ///
    /// A serial queue of Dispatch would do, but for one thing: a thread that has waited for an event could not do the work itself
    /// without the risk of waiting for whoever is at it, and a change of threads costs more than a system call.
    final class SerialJobs: Sendable {
        private struct Job {
            let work: @Sendable () -> Void
        }

        private struct State {
            var waiting = Queue<Job>()
            /// Whether a thread is at it, or has been asked for.
            var isBusy = false
            var givesWay = false
        }

        private let state = Guarded(State())

        /// Runs work after the work that was brought before, on another thread unless one is at it.
        func run(_ work: @escaping @Sendable () -> Void) {
            let isFirst = state.withLock { state in
                defer { state.isBusy = true }
                state.waiting.append(Job(work: work))
                return !state.isBusy
            }
            if isFirst { askForThread() }
        }

        /// Runs work on the calling thread if nobody is at it, and as `run` does otherwise.
        func runHere(_ work: @escaping @Sendable () -> Void) {
            let isFirst = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy { state.waiting.append(Job(work: work)) }
                return !state.isBusy
            }
            if !isFirst { return }
            work()
            runWaiting()
        }

        /// Runs work, brought by the job that runs now, when others that wait for a thread have had theirs.
        func runLater(_ work: @escaping @Sendable () -> Void) {
            state.withLock { state in
                state.waiting.append(Job(work: work))
                state.givesWay = true
            }
        }

        private func askForThread() { DispatchQueue.global().async { self.runWaiting() } }

        private func runWaiting() {
            while let job = next() { job.work() }
        }

        private func next() -> Job? {
            let (job, givesWay) = state.withLock { state -> (Job?, Bool) in
                let givesWay = state.givesWay
                state.givesWay = false
                if givesWay { return (nil, true) }
                let job = state.waiting.popFirst()
                if job == nil { state.isBusy = false }
                return (job, false)
            }
            if givesWay { askForThread() }
            return job
        }
    }
#endif
