#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    /// Learns what happens to the files and directories of one stream, and wakes it up.
    final class FileWatcher: Sendable {
        private struct State {
            var hasNews = false
            /// Whether names have changed, and not only the content of a file.
            var hasNames = false
            /// The names of interest in the watched folders, or `nil` for all.
            var names: Set<String>?
            var events = Queue<InotifyEvent>()
            var last: InotifyEvent?
            var waiter: Job?
        }

        private let state = Guarded(State())

        /// How many events are kept for the stream, which some streams don't need.
        private let capacity: Int

        init(keeping capacity: Int = 0) { self.capacity = capacity }

        /// Records events; of those for which there is no room only that there were some.
        ///
        /// - Returns: Wakes up the stream, if it waits.
        func note(_ events: [InotifyEvent]) -> (@Sendable () -> Void)? {
            state.withLock { state in
                for event in events {
                    if let names = state.names, !event.name.isEmpty, !names.contains(event.name) { continue }
                    state.hasNews = true
                    if event.concernsNames { state.hasNames = true }
                    keep(event, in: &state)
                }
                return state.hasNews ? state.waiter.take()?.work : nil
            }
        }

        /// From now on, learns of these names only.
        func setNames(_ names: Set<String>) { state.withLock { $0.names = names } }

        /// Wakes up the stream as an event does.
        func wakeUp() {
            let waiter = state.withLock { state in
                state.hasNews = true
                return state.waiter.take()
            }
            waiter?.work()
        }

        private func keep(_ event: InotifyEvent, in state: inout State) {
            // The kernel merges an event with an equal one before it, too.
            if state.events.count > capacity || capacity == 0 || event == state.last { return }
            let isRoom = state.events.count < capacity
            let kept = isRoom ? event : InotifyEvent(watch: -1, mask: UInt32(IN_Q_OVERFLOW), cookie: 0, name: "")
            state.events.append(kept)
            state.last = kept
        }

        /// Takes the oldest events that are kept.
        func takeEvents(atMost count: Int) -> [InotifyEvent] {
            state.withLock { state in
                var events: [InotifyEvent] = []
                while events.count < count, let event = state.events.popFirst() { events.append(event) }
                if state.events.isEmpty { (state.hasNews, state.last) = (false, nil) }
                return events
            }
        }

        /// Forgets that there were events.
        ///
        /// - Returns: Whether any concerned names.
        func forget() -> Bool {
            state.withLock { state in
                defer { (state.hasNews, state.hasNames) = (false, false) }
                return state.hasNames
            }
        }

        /// Calls back once, immediately if there has been an event that is not taken or forgotten.
        func wait(_ wake: @escaping @Sendable () -> Void) {
            let hasNews = state.withLock { state in
                if !state.hasNews { state.waiter = Job(work: wake) }
                return state.hasNews
            }
            if hasNews { wake() }
        }
    }

    extension InotifyEvent {
        /// Whether it is about a name, a folder or the queue, and not about the content of a file.
        fileprivate var concernsNames: Bool {
            let others = [IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_IGNORED, IN_Q_OVERFLOW]
            return !name.isEmpty || others.contains { mask & UInt32(bitPattern: Int32($0)) != 0 }
        }
    }
#endif
