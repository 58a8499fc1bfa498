#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    /// The watches of all followed files and directories, in one queue of the kernel: the system allows a user few of them.
    ///
    /// It stays open when nothing is watched any more, because the kernel takes its time to free a queue that is
    /// closed: a process that opened one for each of many short streams would reach the limit.
    package final class FileWatches: Sendable {
        package static let shared = FileWatches()

        /// A stream that watches something, perhaps for several reasons.
        private struct Use {
            let watcher: FileWatcher
            var count = 0
        }

        private struct State {
            var instance: Instance?
            var uses: [Int32: [ObjectIdentifier: Use]] = [:]
        }

        private let state = Guarded(State())

        /// Watches a path for a stream; the first watch opens the queue.
        ///
        /// - Returns: The watch, which ends with its release; several streams share that of a file.
        func add(
            _ path: String, _ mask: UInt32, for watcher: FileWatcher, calls: SystemCalls
        ) throws(SystemError) -> FileWatch {
            // Under the lock, so that the watch is not removed by another stream meanwhile.
            let number = try state.withLock { state in
                Result<Int32, SystemError> { () throws(SystemError) in
                    let instance: Instance
                    if let open = state.instance {
                        instance = open
                    } else {
                        instance = Instance(try calls.openInotify())
                    }
                    let watch = try calls.watch(path, mask | UInt32(IN_MASK_ADD), in: instance.descriptor)
                    state.uses[watch, default: [:]][ObjectIdentifier(watcher), default: Use(watcher: watcher)].count +=
                        1
                    if state.instance == nil { instance.begin() }
                    state.instance = instance
                    return watch
                }
            }
            .get()
            return FileWatch(number: number, watcher: watcher, calls: calls)
        }

        /// Ends a watch for a stream that has added it as often.
        fileprivate func remove(_ watch: Int32, of watcher: FileWatcher, calls: SystemCalls) {
            let identifier = ObjectIdentifier(watcher)
            state.withLock { state in
                state.uses[watch]?[identifier]?.count -= 1
                guard state.uses[watch]?[identifier]?.count == 0 else { return }
                state.uses[watch]?[identifier] = nil
                if let others = state.uses[watch], others.isEmpty {
                    state.uses[watch] = nil
                    if let instance = state.instance { calls.unwatch(watch, in: instance.descriptor) }
                }
            }
        }

        /// Closes the queue if nothing is watched, so that a test meets its opening.
        ///
        /// - Returns: Whether none is open.
        package func closeUnused() -> Bool {
            let (isClosed, old) = state.withLock { state in
                let old = state.uses.isEmpty ? state.instance.take() : nil
                return (state.instance == nil, old)
            }
            withExtendedLifetime(old) {}
            return isClosed
        }

        /// Tells the streams what the kernel has reported up to now.
        ///
        /// A stream that finds no event waits for one only after this.
        func drain() { state.withLock { $0.instance }?.drain() }

        /// - Returns: What to call, without a lock, to wake up the streams concerned.
        private func deliver(_ events: [InotifyEvent]) -> [@Sendable () -> Void] {
            let news = state.withLock { state in
                var news: [ObjectIdentifier: (watcher: FileWatcher, events: [InotifyEvent])] = [:]
                for event in events {
                    let uses =
                        event.mask & UInt32(IN_Q_OVERFLOW) == 0
                        ? state.uses[event.watch] ?? [:]
                        : state.uses.values.reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
                    for (identifier, use) in uses {
                        news[identifier, default: (use.watcher, [])].events.append(event)
                    }
                }
                return news
            }
            return news.values.compactMap { watcher, events in watcher.note(events) }
        }

        /// The queue of the kernel.
        // `readiness` belongs to `queue`, and to `deinit`.
        private final class Instance: @unchecked Sendable {
            let descriptor: Descriptor
            private let queue = DeliveryQueue.sharing("watches")
            private let readiness: Readiness

            /// Held from reading events until they are recorded, so that they are recorded in their order.
            private let reading = Lock()

            init(_ descriptor: Descriptor) {
                self.descriptor = descriptor
                readiness = Readiness(of: descriptor, for: .reading, on: queue)
            }

            func begin() { queue.run(read) }

            private func read() {
                drain()
                readiness.wait { [weak self] in self?.read() }
            }

            func drain() {
                let wakes = reading.withLock {
                    var wakes: [@Sendable () -> Void] = []
                    // The two halves of a move must come together, and may be on both sides of the end of a buffer.
                    var half: [InotifyEvent] = []
                    while let events = try? SystemCalls.live.events(in: descriptor), !events.isEmpty {
                        var all = half + events
                        half = []
                        if let last = all.last, last.mask & UInt32(IN_MOVED_FROM) != 0 { half = [all.removeLast()] }
                        wakes += FileWatches.shared.deliver(all)
                    }
                    return wakes + FileWatches.shared.deliver(half)
                }
                for wake in wakes { wake() }
            }
        }
    }

    /// A watch of one stream, from `FileWatches.add` until it is released.
    final class FileWatch: Sendable {
        /// The number of the watch in the queue, which several streams share.
        let number: Int32

        private let watcher: FileWatcher
        private let calls: SystemCalls

        fileprivate init(number: Int32, watcher: FileWatcher, calls: SystemCalls) {
            self.number = number
            self.watcher = watcher
            self.calls = calls
        }

        deinit { FileWatches.shared.remove(number, of: watcher, calls: calls) }
    }
#endif
