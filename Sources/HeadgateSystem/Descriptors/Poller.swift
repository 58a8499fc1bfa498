#if os(Linux)
    @preconcurrency import Dispatch
    import CHeadgateSystem
    import HeadgateLibC
    import Synchronization

    /// A few threads that wait for events of all descriptors of the process, with `epoll`.
    ///
    /// The thread that receives an event runs its work, if that never blocks, as long as another thread is still
    /// waiting. The last one hands the work to Dispatch, so that a subscriber that blocks delays no other stream.
    ///
    /// An event source of Dispatch makes one call of `ioctl` and two of `epoll_ctl` per event, and loses events of a
    /// descriptor that is watched for reading and for writing: registering the second direction when the first has just
    /// fired removes the first.
    final class Poller: Sendable {
        static let shared = Poller()

        /// A callback that runs once, on a queue of its own.
        struct Waiter: Sendable {
            let queue: DeliveryQueue
            let wake: @Sendable () -> Void
        }

        private struct Entry {
            // Distinguishes events of this registration from those of an earlier file with the same number.
            let generation: UInt32
            var users = 0
            var isAdded = false
            var reading: Waiter?
            var writing: Waiter?

            var events: UInt32 {
                (reading == nil ? 0 : EPOLLIN.rawValue | EPOLLRDHUP.rawValue) | (writing == nil ? 0 : EPOLLOUT.rawValue)
            }

            /// - Returns: The previous waiter.
            mutating func setWaiter(_ waiter: Waiter?, for event: Readiness.Event) -> Waiter? {
                switch event {
                case .reading: exchange(&reading, with: waiter)
                case .writing: exchange(&writing, with: waiter)
                }
            }
        }

        private struct State {
            /// The `epoll` set, or -1 while the process has no descriptor left for it.
            var number: Int32 = -1
            var entries: [Int32: Entry] = [:]
            var generation: UInt32 = 0
        }

        /// The milliseconds after which a waiter tries again while there is no `epoll` set.
        private static let retryDelay = 10

        private let state = Guarded(State())
        private let watching = Atomic(0)

        /// Starts the threads that run work themselves, one per processor, when the first such work is registered.
        private static let crew: Void = {
            for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) { shared.start("headgate.poller.crew") }
        }()

        private static let firstThread: Void = shared.start("headgate.poller")

        private init() {}

        /// Begins to watch a descriptor, which must stay open until `leave` has been called as often.
        func join(_ descriptor: Int32) {
            state.withLock { state in
                if state.entries[descriptor] == nil {
                    state.generation &+= 1
                    state.entries[descriptor] = Entry(generation: state.generation)
                }
                state.entries[descriptor]?.users += 1
            }
        }

        func leave(_ descriptor: Int32, _ event: Readiness.Event) {
            let old = state.withLock { state -> (Waiter?, Entry?) in
                guard var entry = state.entries[descriptor] else { return (nil, nil) }
                let waiter = entry.setWaiter(nil, for: event)
                entry.users -= 1
                if entry.users > 0 {
                    state.entries[descriptor] = entry
                    return (waiter, nil)
                }
                if entry.isAdded { epoll_ctl(state.number, EPOLL_CTL_DEL, descriptor, nil) }
                return (waiter, state.entries.removeValue(forKey: descriptor))
            }
            withExtendedLifetime(old) {}
        }

        /// Waits for one event, replacing an earlier waiter.
        func wait(for event: Readiness.Event, of descriptor: Int32, _ waiter: Waiter) {
            guard hasSet() else { return waiter.queue.run(afterMilliseconds: Self.retryDelay, waiter.wake) }
            if waiter.queue.takesEventsWhereTheyCome { Self.crew }
            let (old, canWait) = state.withLock { state -> (Waiter?, Bool) in
                guard var entry = state.entries[descriptor] else { return (nil, false) }
                let old = entry.setWaiter(waiter, for: event)
                let canWait = arm(descriptor, &entry, state.number)
                state.entries[descriptor] = entry
                return (old, canWait)
            }
            // `epoll` refuses descriptors that are always ready, such as files.
            if !canWait { waiter.queue.runAfterEvent(waiter.wake) }
            withExtendedLifetime(old) {}
        }

        /// Whether there is an `epoll` set; opens it, and starts the first thread, if it can be opened now.
        private func hasSet() -> Bool {
            let hasSet = state.withLock { state in
                if state.number < 0 {
                    state.number = headgate_above_standard_streams(epoll_create1(Int32(EPOLL_CLOEXEC)))
                }
                return state.number >= 0
            }
            if hasSet { Self.firstThread }
            return hasSet
        }

        private func arm(_ descriptor: Int32, _ entry: inout Entry, _ number: Int32) -> Bool {
            var event = epoll_event()
            event.events = entry.events | EPOLLONESHOT.rawValue
            event.data.u64 = UInt64(entry.generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
            let operation = entry.isAdded ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
            entry.isAdded = epoll_ctl(number, operation, descriptor, &event) == 0
            return entry.isAdded
        }

        private func start(_ label: String) {
            // Dispatch gives a queue that is not a global one a thread of its own while it works.
            DispatchQueue(label: label).async { self.run() }
        }

        private func run() {
            let number = state.withLock { $0.number }
            var event = epoll_event()
            watching.add(1, ordering: .relaxed)
            while true {
                // One at a time: the next event is for a thread that waits, not for one that has finished with this
                // event.
                if epoll_wait(number, &event, 1, -1) == 1 { deliver(event) }
            }
        }

        private func deliver(_ event: epoll_event) {
            let (reader, writer) = waiters(for: event)
            // At most one of them, since it may block. Both directions of a connection share one queue anyway.
            if let writer, reader != nil { writer.queue.runAfterEvent(writer.wake) }
            guard let waiter = reader ?? writer else { return }
            if !waiter.queue.takesEventsWhereTheyCome { return waiter.queue.runAfterEvent(waiter.wake) }
            if watching.subtract(1, ordering: .relaxed).newValue > 0 {
                waiter.queue.runHere(waiter.wake)
            } else {
                waiter.queue.runAfterEvent(waiter.wake)
            }
            watching.add(1, ordering: .relaxed)
        }

        /// The waiters for an event, removed.
        private func waiters(for event: epoll_event) -> (reader: Waiter?, writer: Waiter?) {
            let descriptor = Int32(truncatingIfNeeded: event.data.u64 & 0xFFFF_FFFF)
            let generation = UInt32(event.data.u64 >> 32)
            let troubles = EPOLLERR.rawValue | EPOLLHUP.rawValue
            return state.withLock { state -> (Waiter?, Waiter?) in
                guard var entry = state.entries[descriptor], entry.generation == generation else { return (nil, nil) }
                var reader: Waiter?
                var writer: Waiter?
                if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | troubles) != 0 {
                    reader = entry.reading.take()
                }
                if event.events & (EPOLLOUT.rawValue | troubles) != 0 { writer = entry.writing.take() }
                // One-shot: a waiter for the other direction must be armed again.
                if entry.reading != nil || entry.writing != nil { _ = arm(descriptor, &entry, state.number) }
                state.entries[descriptor] = entry
                return (reader, writer)
            }
        }
    }
#endif
