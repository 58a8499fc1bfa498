import HeadgateCore
import HeadgateEngine

/// Serves one subscriber from a source outside the process: one poll per value requested, none without demand.
///
/// The caller that raises the outstanding demand from none starts serving on the delivery queue. Serving continues
/// until that demand is used up; if the source has no value yet, it resumes when the source's descriptor is readable.
/// Cancelling takes effect before the next value; the source is released at once if there is no outstanding demand, and
/// otherwise when the queue runs next.
// Everything but the account is confined to the caller that raised `outstanding` from none and is on the queue, or that
// closed it while it was none. `isParked` and the state it guards are confined to the queue.
package final class PollingConduit<Source: PolledSource>: Subscription, CustomStringConvertible,
    @unchecked Sendable
{
    private let outstanding = OutstandingDemand()
    private let queue: DeliveryQueue
    private let name: String
    private var open: (() throws(SystemError) -> Source)?
    private var source: Source?
    private var readiness: Readiness?
    private var downstream: AnySubscriber<Source.Output, SystemError>?

    private static var turnsAtATime: Int { 32 }

    /// The milliseconds until a source that has postponed a value is polled again.
    private static var retryDelay: Int { 10 }

    // The demand when the account was last read, and how much of it has not been delivered.
    private var known = Subscribers.Demand.none
    private var due = Subscribers.Demand.none
    private var isParked = false

    /// Creates the conduit, which is the subscription for downstream.
    ///
    /// - Parameter open: Opens the source, on the queue and at the first demand.
    package init(
        name: String, on queue: DeliveryQueue, to downstream: AnySubscriber<Source.Output, SystemError>,
        open: @escaping () throws(SystemError) -> Source
    ) {
        self.name = name
        self.queue = queue
        self.downstream = downstream
        self.open = open
    }

    /// The name of this subscription in a log.
    package var description: String { name }

    package func request(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { queue.run(serve) }
    }

    package func cancel() {
        guard let before = outstanding.close() else { return }
        if before == .none {
            release()
        } else {
            // Serving is under way, about to start, or waits for the descriptor.
            queue.run(releaseIfParked)
        }
    }

    private func releaseIfParked() {
        if isParked { release() }
    }

    private func serve() {
        isParked = false
        do {
            if let open = self.open.take(), !outstanding.isClosed { source = try open() }
            var turns = Self.turnsAtATime
            while !outstanding.isClosed, let source {
                guard takeOver() else { return }
                if outstanding.isClosed { break }
                // A source that always has a value must not monopolize a shared thread.
                if turns == 0 { return queue.runLater(serve) }
                turns -= 1
                switch try source.poll() {
                case .value(let value):
                    deliver(value)
                case .last(let value):
                    deliver(value)
                    return end(.finished)
                case .finished:
                    return end(.finished)
                case .pending:
                    return park(at: source)
                case .postponed:
                    return postpone()
                }
            }
        } catch {
            return end(.failure(error))
        }
        release()
    }

    /// Settles delivered values until `due` is the demand still to be served.
    ///
    /// - Returns: Whether the caller continues; if not, there is no demand, and the state is no longer the caller's.
    private func takeOver() -> Bool {
        while due == .none, !outstanding.isClosed {
            let served = known
            known = .none
            if served > .none, outstanding.settle(served) { return false }
            known = outstanding.current
            if known > .none { due = known - served }
        }
        return true
    }

    private func deliver(_ value: Source.Output) {
        guard let downstream else { return }
        due -= 1
        due += downstream.receive(value)
    }

    /// Resumes when the source is readable, unless the subscription has been released.
    private func park(at source: Source) {
        let readiness = self.readiness ?? Readiness(of: source.descriptor, for: .reading, on: queue)
        self.readiness = readiness
        isParked = true
        readiness.wait { [weak self] in self?.serve() }
    }

    /// Resumes after a delay, unless the subscription has been released.
    private func postpone() {
        isParked = true
        queue.run(afterMilliseconds: Self.retryDelay) { [weak self] in self?.serve() }
    }

    private func end(_ completion: Subscribers.Completion<SystemError>) {
        let isWanted = outstanding.close() != nil
        let downstream = self.downstream
        release()
        if isWanted { downstream?.receive(completion: completion) }
    }

    /// Releases everything, after the state is consistent, because releasing may run other code.
    private func release() {
        isParked = false
        let (source, readiness, downstream) = (source.take(), readiness.take(), downstream.take())
        open = nil
        withExtendedLifetime((source, readiness, downstream)) {}
    }
}
