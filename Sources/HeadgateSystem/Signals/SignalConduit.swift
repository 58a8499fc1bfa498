import HeadgateCore
import HeadgateEngine
import Synchronization

/// Serves one subscriber with signals; occurrences of a signal since its last delivery are merged.
// `downstream` belongs to the caller that raised `work` from zero.
final class SignalConduit: Subscription, CustomStringConvertible, @unchecked Sendable {
    let signals: UInt64
    let description = "Signals"

    private let centre: SignalCentre
    private let queue: DeliveryQueue
    private let outstanding = OutstandingDemand()
    private let pending = Atomic<UInt64>(0)
    private let work = Atomic(0)
    private var downstream: AnySubscriber<Signal, Never>?

    /// Creates the conduit, which is the subscription for downstream, and catches its signals.
    init(
        _ signals: UInt64, from centre: SignalCentre, on queue: DeliveryQueue,
        to downstream: AnySubscriber<Signal, Never>
    ) {
        self.signals = signals
        self.centre = centre
        self.queue = queue
        self.downstream = downstream
        centre.add(self)
    }

    deinit { centre.remove(self) }

    func request(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { serveSoon() }
    }

    func cancel() {
        guard outstanding.close() != nil else { return }
        centre.remove(self)
        // A caller that is serving releases the subscriber; if there is none, it is released here.
        if work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { serve() }
    }

    /// Records signals that have arrived.
    func bring(_ signals: UInt64) {
        pending.bitwiseOr(signals & self.signals, ordering: .acquiringAndReleasing)
        serveSoon()
    }

    private func serveSoon() {
        if work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { queue.run { self.serve() } }
    }

    private func serve() {
        var seen = work.load(ordering: .acquiring)
        repeat {
            deliver()
            seen = work.subtract(seen, ordering: .acquiringAndReleasing).newValue
        } while seen != 0
    }

    private func deliver() {
        while let downstream, case let waiting = pending.load(ordering: .acquiring), waiting != 0,
            outstanding.takeOne()
        {
            let signal = Signal(Int32(waiting.trailingZeroBitCount) + 1)
            // A signal that arrives from here on is another one.
            pending.bitwiseAnd(~signal.bit, ordering: .acquiringAndReleasing)
            outstanding.add(downstream.receive(signal))
        }
        if outstanding.isClosed {
            let old = downstream.take()
            withExtendedLifetime(old) {}
        }
    }
}
