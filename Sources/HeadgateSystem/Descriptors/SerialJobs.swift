#if os(Linux)
    import HeadgateEngine

    /// Jobs that run one after the other, on threads that all streams share.
    ///
    /// A serial queue of Dispatch would do, except that a thread that has received an event could not run the work
    /// itself without the risk of waiting for another thread that is running a job, and switching threads costs more
    /// than a system call.
    final class SerialJobs: Sendable {
        private struct State {
            var waiting = Queue<Job>()
            /// Whether a thread is running jobs, or has been requested.
            var isBusy = false
            var givesWay = false
        }

        /// Where the jobs run.
        enum Place {
            /// On threads for jobs that never block, about one per processor.
            case shared
            /// On threads for jobs that may.
            case waiting
        }

        private let place: Place
        private let state = Guarded(State())

        init(on place: Place) { self.place = place }

        /// Runs work after all work enqueued earlier, on another thread unless one is running jobs.
        func run(_ work: @escaping @Sendable () -> Void) {
            let isFirst = state.withLock { state in
                state.waiting.append(Job(work: work))
                return !exchange(&state.isBusy, with: true)
            }
            if isFirst { requestThread() }
        }

        /// Runs work on the calling thread if no thread is running jobs, and as `run` does otherwise.
        func runHere(_ work: @escaping @Sendable () -> Void) {
            if !enter() { return run(work) }
            work()
            runWaiting()
        }

        /// Takes the queue for the calling thread if no thread is running jobs; `leave` gives it back.
        func enter() -> Bool { !state.withLock { exchange(&$0.isBusy, with: true) } }

        /// Gives back the queue; what was enqueued meanwhile runs on another thread.
        func leave() {
            let isIdle = state.withLock { state in
                state.isBusy = !state.waiting.isEmpty
                return !state.isBusy
            }
            if !isIdle { requestThread() }
        }

        /// Runs work, enqueued by the job that runs now, after others waiting for a thread have had a turn.
        func runLater(_ work: @escaping @Sendable () -> Void) {
            state.withLock { state in
                state.waiting.append(Job(work: work))
                state.givesWay = true
            }
        }

        private func requestThread() {
            switch place {
            case .shared: SharedThreads.shared.run(self)
            case .waiting: WaitingThreads.shared.run { self.runWaiting() }
            }
        }

        /// Runs what is waiting, until nothing is or others are to have a turn.
        func runWaiting() {
            while let job = next() { job.work() }
        }

        private func next() -> Job? {
            let (job, givesWay) = state.withLock { state -> (Job?, Bool) in
                if exchange(&state.givesWay, with: false) { return (nil, true) }
                let job = state.waiting.popFirst()
                if job == nil { state.isBusy = false }
                return (job, false)
            }
            if givesWay { requestThread() }
            return job
        }
    }
#endif
