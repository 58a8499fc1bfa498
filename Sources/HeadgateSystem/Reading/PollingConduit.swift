import HeadgateCore
import HeadgateEngine

/// Serves one subscriber from a source outside the program: one look for each value asked for, none without demand.
///
/// Whoever raises the outstanding demand from none starts the serving, on the delivery queue. It goes on until that demand
/// is used up; where the source has nothing yet, it is continued when the source's descriptor can be read. Cancelling takes
/// effect before the next value; the source is released at once where nothing is asked for, and as soon as the queue comes
/// to it otherwise.
// Everything but the account belongs to whoever raised `outstanding` from none, who is on the queue, or closed it while
// it was none. `isParked` and what leads from there belong to the queue.
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

    /// The milliseconds until a source is looked at again that can't take what there is.
    private static var patience: Int { 10 }

    // What was asked for when the account was last looked at, and how much of it has not been delivered.
    private var known = Subscribers.Demand.none
    private var due = Subscribers.Demand.none
    private var isParked = false

    /// Makes the conduit, to be handed downstream as the subscription.
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

    /// What a log shows for this subscription.
    package var description: String { name }

    package func request(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { queue.run(serve) }
    }

    package func cancel() {
        guard let before = outstanding.close() else { return }
        if before == .none {
            release()
        } else {
            // Serving is under way, will be as soon as the queue comes to it, or waits for the descriptor.
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
                // A source that always has something is not to keep a thread that others share.
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

    /// Sees to it that `due` is what is still to be delivered.
    ///
    /// - Returns: Whether the caller goes on; if not, there is no demand, and the state is no longer the caller's.
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

    /// Goes on when there is something to read; a subscription that nobody holds does not.
    private func park(at source: Source) {
        let readiness = self.readiness ?? Readiness(of: source.descriptor, for: .reading, on: queue)
        self.readiness = readiness
        isParked = true
        readiness.wait { [weak self] in self?.serve() }
    }

    /// Goes on after a while; a subscription that nobody holds does not.
    private func postpone() {
        isParked = true
        queue.run(afterMilliseconds: Self.patience) { [weak self] in self?.serve() }
    }

    private func end(_ completion: Subscribers.Completion<SystemError>) {
        let isWanted = outstanding.close() != nil
        let downstream = self.downstream
        release()
        if isWanted { downstream?.receive(completion: completion) }
    }

    /// Releases everything; what is closed and released by that runs when the state is in order again.
    private func release() {
        isParked = false
        let (source, readiness, downstream) = (source.take(), readiness.take(), downstream.take())
        open = nil
        withExtendedLifetime((source, readiness, downstream)) {}
    }
}
