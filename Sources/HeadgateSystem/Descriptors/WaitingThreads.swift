#if os(Linux)
    @preconcurrency import Dispatch
    import HeadgateCore
    import HeadgateEngine

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Threads for work that may block: as many as there is such work at a time, and none a moment later.
    ///
    /// Dispatch keeps the threads of its serial queues for seconds: a thousand streams that came and went left hundreds.
    final class WaitingThreads: Sendable {
        static let shared = WaitingThreads()

        private struct Job {
            let work: @Sendable () -> Void
        }

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
        }

        /// The maximum number of threads; more work waits.
        private static let limit = 256

        /// How long a thread waits for work before it ends, in milliseconds.
        private static let patience = 200

        private let state = Guarded(State())

        /// Runs work on a thread that does nothing else meanwhile.
        func run(_ work: @escaping @Sendable () -> Void) {
            let job = Job(work: work)
            let (worker, isNew) = state.withLock { state -> (Worker?, Bool) in
                if let worker = state.idle.popLast() { return (worker, false) }
                if state.count == Self.limit {
                    state.waiting.append(job)
                    return (nil, false)
                }
                state.count += 1
                return (nil, true)
            }
            if let worker {
                worker.job.withLock { $0 = job }
                worker.bell.signal()
            } else if isNew {
                start(job)
            }
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
                let job = state.waiting.popFirst()
                if job == nil { state.idle.append(worker) }
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
