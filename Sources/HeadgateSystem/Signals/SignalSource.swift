/// The signals that one subscriber has not received; occurrences of a signal since its last delivery are merged.
final class SignalSource: Pollable, Sendable {
    private struct State {
        var pending: UInt64 = 0
        var waiter: Job?
    }

    let signals: UInt64

    private let centre: SignalCentre
    private let state = Guarded(State())

    /// Creates a source and catches its signals.
    init(_ signals: UInt64, from centre: SignalCentre) {
        self.signals = signals
        self.centre = centre
        centre.add(self)
    }

    deinit { centre.remove(self) }

    /// Catches no more signals.
    func stop() { centre.remove(self) }

    /// Records signals that have arrived.
    func bring(_ signals: UInt64) {
        let waiter = state.withLock { state in
            state.pending |= signals & self.signals
            return state.waiter.take()
        }
        waiter?.work()
    }

    /// Takes the pending signal with the lowest number.
    func poll() -> Poll<Signal> {
        let number = state.withLock { state -> Int32? in
            if state.pending == 0 { return nil }
            // A signal that arrives from here on is another one.
            defer { state.pending &= state.pending - 1 }
            return Int32(state.pending.trailingZeroBitCount) + 1
        }
        return number.map { .value(Signal($0)) } ?? .pending
    }

    func waiting(on queue: DeliveryQueue) -> PollingWait { queue.calledBack(by: wait) }

    /// Calls back once, when a signal is pending.
    func wait(_ wake: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            if state.pending == 0 { state.waiter = Job(work: wake) }
            return state.pending != 0
        }
        if isReady { wake() }
    }
}
