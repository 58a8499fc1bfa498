#if os(Linux)
    @preconcurrency import Dispatch
    import HeadgateCore
    import HeadgateEngine
    import HeadgateLibC

    /// Threads for work that may block: a few, more while these are blocked, and none a moment later.
    ///
    /// Dispatch keeps the threads of its serial queues for seconds: a thousand streams that came and went left hundreds. And
    /// it would start one for each of a hundred files that are opened together, although a few read them as fast.
    final class WaitingThreads: Sendable {
        static let shared = WaitingThreads()

        /// A thread that waits for work.
        private final class Worker: Sendable {
            let bell = DispatchSemaphore(value: 0)
            let job = Guarded<Job?>(nil)
        }

        private struct State {
            // The last one to become idle is the first one to work again, so that the others end.
            var idle: [Worker] = []
            var waiting = Queue<Job>()
            var count = 0
            /// Whether work that has waited was begun since the last look.
            var hasProgress = false
            /// How many threads the next look that finds no progress starts; nothing while nothing waits.
            var more: Int?
        }

        /// How many threads are started without waiting for those that there are.
        private static let few = 2

        /// The maximum number of threads; more work waits.
        private static let limit = 256

        /// How long work waits before more threads are started for it, in milliseconds.
        private static let lookingTime = 20

        /// How long a thread waits for work before it ends, in milliseconds.
        private static let patience = 200

        private let state = Guarded(State())

        /// Runs work on a thread that does nothing else meanwhile.
        func run(_ work: @escaping @Sendable () -> Void) {
            let job = Job(work: work)
            enum Turn {
                case taken(by: Worker)
                case new
                case waits(isFirst: Bool)
            }
            let turn: Turn = state.withLock { state in
                if let worker = state.idle.popLast() { return .taken(by: worker) }
                if state.count < Self.few {
                    state.count += 1
                    return .new
                }
                state.waiting.append(job)
                defer { state.more = state.more ?? 1 }
                return .waits(isFirst: state.more == nil)
            }
            switch turn {
            case .taken(let worker):
                worker.job.withLock { $0 = job }
                worker.bell.signal()
            case .new: start(job)
            case .waits(let isFirst): if isFirst { lookLater() }
            }
        }

        private func lookLater() {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.lookingTime)) { self.look() }
        }

        /// Starts more threads for work that waits, each time twice as many, if those that there are have begun none of it.
        private func look() {
            let jobs: [Job]? = state.withLock { state in
                guard let more = state.more, !state.waiting.isEmpty else {
                    state.more = nil
                    return nil
                }
                let hasProgress = exchange(&state.hasProgress, with: false)
                state.more = hasProgress ? 1 : min(more * 2, Self.limit)
                if hasProgress { return [] }
                var jobs: [Job] = []
                while jobs.count < more, state.count < Self.limit, let job = state.waiting.popFirst() {
                    state.count += 1
                    jobs.append(job)
                }
                return jobs
            }
            guard let jobs else { return }
            for job in jobs { start(job) }
            lookLater()
        }

        private func start(_ job: Job) {
            let first = Unmanaged.passRetained(First(threads: self, job: job))
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            var thread = pthread_t()
            let code = pthread_create(&thread, &attributes, WaitingThreads.begin, first.toOpaque())
            if code == 0 { return }
            // The system has no thread left: Dispatch runs it when one of its own is free.
            first.release()
            DispatchQueue.global().async { self.serve(job) }
        }

        private final class First {
            let threads: WaitingThreads
            let job: Job

            init(threads: WaitingThreads, job: Job) {
                self.threads = threads
                self.job = job
            }
        }

        private static let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument else { return nil }
            let first = Unmanaged<First>.fromOpaque(argument).takeRetainedValue()
            first.threads.serve(first.job)
            return nil
        }

        private func serve(_ first: Job) {
            let worker = Worker()
            var job: Job? = first
            while let current = job {
                current.work()
                job = nextJob(for: worker)
            }
        }

        /// The next work for a thread, or `nil` if it is to end.
        private func nextJob(for worker: Worker) -> Job? {
            let job = state.withLock { state in
                guard let job = state.waiting.popFirst() else {
                    state.idle.append(worker)
                    return nil as Job?
                }
                state.hasProgress = true
                return job
            }
            if let job { return job }
            if worker.bell.wait(timeout: .now() + .milliseconds(Self.patience)) == .timedOut {
                let isLeaving = state.withLock { state in
                    guard let place = state.idle.firstIndex(where: { $0 === worker }) else { return false }
                    state.idle.remove(at: place)
                    state.count -= 1
                    return true
                }
                if isLeaving { return nil }
                // Work has just been given to it.
                worker.bell.wait()
            }
            return worker.job.withLock { $0.take() }
        }
    }
#endif
