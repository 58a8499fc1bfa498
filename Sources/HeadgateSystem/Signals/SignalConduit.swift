import HeadgateCore
import HeadgateEngine
import Synchronization

/// Serves one subscriber with signals: each at most once for all times that it came since it was last delivered.
// `downstream` belongs to whoever raised `work` from zero.
final class SignalConduit: Subscription, CustomStringConvertible, @unchecked Sendable {
    let signals: UInt64
    let description = "Signals"

    private let centre: SignalCentre
    private let queue: DeliveryQueue
    private let outstanding = OutstandingDemand()
    private let pending = Atomic<UInt64>(0)
    private let work = Atomic(0)
    private var downstream: AnySubscriber<Signal, Never>?

    /// Makes the conduit, to be handed downstream as the subscription, and has its signals caught.
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
        // Whoever is serving releases the subscriber; where nobody is, it is done here.
        if work.add(1, ordering: .acquiringAndReleasing).oldValue == 0 { serve() }
    }

    /// Takes in signals that have come.
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
            // What comes from here on is one more.
            pending.bitwiseAnd(~signal.bit, ordering: .acquiringAndReleasing)
            outstanding.add(downstream.receive(signal))
        }
        if outstanding.isClosed {
            let old = downstream.take()
            withExtendedLifetime(old) {}
        }
    }
}
