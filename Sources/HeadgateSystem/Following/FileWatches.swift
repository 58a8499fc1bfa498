#if os(Linux)
    import HeadgateCore
    import HeadgateEngine

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The watches of all followed files, in one queue of the kernel: the system allows a user few of them.
    final class FileWatches: Sendable {
        static let shared = FileWatches()

        private struct State {
            var instance: Instance?
            var watchers: [Int32: [ObjectIdentifier: FileWatcher]] = [:]
        }

        private let state = Guarded(State())

        /// Watches a path for a stream; the first watch opens the queue.
        ///
        /// - Returns: The watch; several streams share that of a file.
        func add(
            _ path: String, _ mask: UInt32, for watcher: FileWatcher, calls: SystemCalls
        ) throws(SystemError) -> Int32 {
            // Under the lock, so that the watch is not removed by another stream meanwhile.
            try state.withLock { state in
                Result<Int32, SystemError> { () throws(SystemError) in
                    let instance: Instance
                    if let open = state.instance {
                        instance = open
                    } else {
                        instance = Instance(try calls.openInotify())
                    }
                    let watch = try calls.watch(path, mask | UInt32(IN_MASK_ADD), in: instance.descriptor)
                    state.watchers[watch, default: [:]][ObjectIdentifier(watcher)] = watcher
                    if state.instance == nil { instance.begin() }
                    state.instance = instance
                    return watch
                }
            }
            .get()
        }

        /// Ends a watch for a stream; the last one closes the queue.
        func remove(_ watch: Int32, of watcher: FileWatcher, calls: SystemCalls) {
            let old = state.withLock { state -> (FileWatcher?, Instance?) in
                let watcher = state.watchers[watch]?.removeValue(forKey: ObjectIdentifier(watcher))
                guard let others = state.watchers[watch], others.isEmpty else { return (watcher, nil) }
                state.watchers[watch] = nil
                if let instance = state.instance { calls.unwatch(watch, in: instance.descriptor) }
                return (watcher, state.watchers.isEmpty ? state.instance.take() : nil)
            }
            withExtendedLifetime(old) {}
        }

        private func deliver(_ events: [InotifyEvent]) {
            let watchers = state.withLock { state in
                var watchers: [FileWatcher] = []
                for event in events {
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                        for all in state.watchers.values { watchers += all.values }
                    } else {
                        watchers += state.watchers[event.watch].map { Array($0.values) } ?? []
                    }
                }
                return watchers
            }
            for watcher in watchers { watcher.note() }
        }

        /// The queue of the kernel while there are watches.
        // `readiness` belongs to `queue`, and to `deinit`.
        private final class Instance: @unchecked Sendable {
            let descriptor: Descriptor
            private let queue = DeliveryQueue.sharing("watches")
            private let readiness: Readiness

            init(_ descriptor: Descriptor) {
                self.descriptor = descriptor
                readiness = Readiness(of: descriptor, for: .reading, on: queue)
            }

            func begin() { queue.run(read) }

            private func read() {
                while let events = try? SystemCalls.live.events(in: descriptor), !events.isEmpty {
                    FileWatches.shared.deliver(events)
                }
                readiness.wait { [weak self] in self?.read() }
            }
        }
    }

    /// Remembers that something has happened to the files of one stream, and wakes it up.
    final class FileWatcher: Sendable {
        private struct Waiter {
            let wake: @Sendable () -> Void
        }

        private let state = Guarded((hasNews: false, waiter: nil as Waiter?))

        /// Records an event.
        func note() {
            let waiter = state.withLock { state in
                state.hasNews = true
                return state.waiter.take()
            }
            waiter?.wake()
        }

        /// Forgets the events so far.
        func forget() { state.withLock { $0.hasNews = false } }

        /// Calls back once, immediately if there has been an event since the last call of `forget`.
        func wait(_ wake: @escaping @Sendable () -> Void) {
            let hasNews = state.withLock { state in
                if !state.hasNews { state.waiter = Waiter(wake: wake) }
                return state.hasNews
            }
            if hasNews { wake() }
        }
    }

    /// Waits for an event of followed files, or for a pipe.
    final class FollowingWaiter: PollingWaiter {
        private let watcher: FileWatcher
        private let pipe: Readiness?
        private let queue: DeliveryQueue

        init(_ watcher: FileWatcher, pipe: Descriptor?, on queue: DeliveryQueue) {
            self.watcher = watcher
            self.queue = queue
            self.pipe = pipe.map { Readiness(of: $0, for: .reading, on: queue) }
        }

        func wait(_ onReady: @escaping () -> Void) {
            if let pipe { return pipe.wait(onReady) }
            // Called once, on the queue.
            nonisolated(unsafe) let onReady = onReady
            watcher.wait { [queue] in queue.run { onReady() } }
        }
    }
#endif
