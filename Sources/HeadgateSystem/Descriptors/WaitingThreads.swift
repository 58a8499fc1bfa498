#if os(Linux)
    @preconcurrency import Dispatch
    import HeadgateEngine
    import HeadgateLibC

    /// Threads for work that may block: a few, more while these are blocked, and none a moment later.
    ///
    /// Dispatch keeps the threads of its serial queues for seconds: a thousand streams that came and went left hundreds. And
    /// it would start one for each of a hundred files that are opened together, although a few read them as fast.
    final class WaitingThreads: Sendable {
        static let shared = WaitingThreads()

        private struct State {
            // The bells of the idle threads. The last one to become idle is the first one to work again, so that the others
            // end.
            var idle: [DispatchSemaphore] = []
            var waiting = Queue<Job>()
            var count = 0
            /// Whether a thread that had done other work has begun some that waited since the last look.
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

        /// Runs work on a thread that does nothing else meanwhile: the first one that is there for it.
        func run(_ work: @escaping @Sendable () -> Void) {
            let (bell, starts, looks) = state.withLock { state -> (DispatchSemaphore?, Bool, Bool) in
                state.waiting.append(Job(work: work))
                if let bell = state.idle.popLast() { return (bell, false, false) }
                if state.count < Self.few {
                    state.count += 1
                    return (nil, true, false)
                }
                defer { state.more = state.more ?? 1 }
                return (nil, false, state.more == nil)
            }
            bell?.signal()
            if starts { start() }
            if looks { lookLater() }
        }

        private func lookLater() {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.lookingTime)) { self.look() }
        }

        /// Starts more threads for work that waits, each time twice as many, if those that there are have begun none of it.
        private func look() {
            let count: Int? = state.withLock { state in
                guard let more = state.more, !state.waiting.isEmpty else {
                    state.more = nil
                    return nil
                }
                let hasProgress = exchange(&state.hasProgress, with: false)
                state.more = hasProgress ? 1 : min(more * 2, Self.limit)
                let count = hasProgress ? 0 : min(more, Self.limit - state.count, state.waiting.count)
                state.count += count
                return count
            }
            guard let count else { return }
            for _ in 0..<count { start() }
            lookLater()
        }

        private func start() {
            let threads = Unmanaged.passRetained(self)
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            var thread = pthread_t()
            let code = pthread_create(&thread, &attributes, WaitingThreads.begin, threads.toOpaque())
            if code == 0 { return }
            // The system has no thread left: Dispatch does the work when one of its own is free.
            threads.release()
            DispatchQueue.global().async { self.serve() }
        }

        private static let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument else { return nil }
            Unmanaged<WaitingThreads>.fromOpaque(argument).takeRetainedValue().serve()
            return nil
        }

        /// Does work until none comes for a while.
        private func serve() {
            let bell = DispatchSemaphore(value: 0)
            repeat {
                var isBusy = false
                while let job = nextJob(isBusy, bell) {
                    job.work()
                    isBusy = true
                }
            } while isCalled(bell)
        }

        /// The next work; if there is none, the thread is idle from now on.
        private func nextJob(_ isBusy: Bool, _ bell: DispatchSemaphore) -> Job? {
            state.withLock { state in
                let job = state.waiting.popFirst()
                if job == nil { state.idle.append(bell) }
                if job != nil, isBusy { state.hasProgress = true }
                return job
            }
        }

        /// Waits for the bell.
        ///
        /// - Returns: Whether there is work; if not, the thread has left.
        private func isCalled(_ bell: DispatchSemaphore) -> Bool {
            if bell.wait(timeout: .now() + .milliseconds(Self.patience)) == .success { return true }
            let isLeaving = state.withLock { state in
                guard let place = state.idle.firstIndex(where: { $0 === bell }) else { return false }
                state.idle.remove(at: place)
                state.count -= 1
                return true
            }
            // It has just been called.
            if !isLeaving { bell.wait() }
            return !isLeaving
        }
    }
#endif
