#if os(Linux)
    import CHeadgateSystem

    /// Finds out which connections of the process the other side has reset or closed.
    ///
    /// The poller reports that only to those who wait to read or to write. Each connection is registered here once, and
    /// edge-triggered, so that a chunk costs nothing more; the kernel forgets it when its descriptor is closed. The set
    /// of all is a descriptor itself, which the poller watches.
    final class HangUpWatch: Sendable {
        static let shared = HangUpWatch()

        private struct State {
            var set: Int32 = -1
            var next: UInt64 = 0
            var callbacks: [UInt64: Job] = [:]
        }

        private let state = Guarded(State())
        private let queue = DeliveryQueue.sharing("hang-ups")

        /// Calls back, for one connection at a time, each time the other side has reset a connection or closed a
        /// direction.
        ///
        /// - Returns: The registration, which is kept until it is released, or `nil` if the system has no descriptor or
        ///   memory for it: then the end is found at the next call.
        func watch(_ descriptor: Descriptor, _ body: @escaping @Sendable () -> Void) -> AnyCancellable? {
            let (set, number, starts) = state.withLock { state in
                let isFirst = state.set < 0
                if isFirst { state.set = headgate_above_standard_streams(epoll_create1(Int32(EPOLL_CLOEXEC))) }
                state.next += 1
                state.callbacks[state.next] = Job(work: body)
                return (state.set, state.next, isFirst && state.set >= 0)
            }
            if starts {
                Poller.shared.join(set)
                wait(set)
            }
            let ticket = AnyCancellable { _ = self.state.withLock { $0.callbacks.removeValue(forKey: number) } }
            var event = epoll_event()
            event.events = EPOLLRDHUP.rawValue | EPOLLET.rawValue
            event.data.u64 = number
            return epoll_ctl(set, EPOLL_CTL_ADD, descriptor.number, &event) == 0 ? ticket : nil
        }

        private func wait(_ set: Int32) {
            Poller.shared.wait(for: .reading, of: set, Poller.Waiter(queue: queue) { self.callBack(set) })
        }

        private func callBack(_ set: Int32) {
            var events = [epoll_event](repeating: epoll_event(), count: 64)
            let count = epoll_wait(set, &events, Int32(events.count), 0)
            for event in events.prefix(Int(max(0, count))) {
                state.withLock { $0.callbacks[event.data.u64] }?.work()
            }
            // At once, if there are more of them.
            wait(set)
        }
    }
#endif
