import HeadgateEngine

/// Serves one subscriber from a source outside the process: one poll per value requested, none without demand.
///
/// The caller that raises the outstanding demand from none starts serving on the delivery queue. Serving continues
/// until that demand is used up; if the source has no value yet, it resumes when the source's wait calls back.
/// Cancelling takes effect before the next value; the source is released at once if there is no outstanding demand, and
/// otherwise when the queue runs next.
// Everything but the account is confined to the caller that raised `outstanding` from none and is on the queue, or that
// closed it while it was none. `isParked` and the state it guards are confined to the queue.
@usableFromInline
package final class PollingConduit<Source: Pollable>: ConduitSubscription, SignalHandling, @unchecked Sendable {
    @usableFromInline package typealias Output = Source.Output

    @usableFromInline package typealias Failure = Source.Failure

    @usableFromInline let outstanding = OutstandingDemand()

    @usableFromInline let queue: Source.Place

    @usableFromInline let name: StaticString

    @usableFromInline let onCancel: (() -> Void)?

    // Confined to the caller that serves, as are the following.
    @exclusivity(unchecked) @usableFromInline var open: (() throws(Failure) -> Source)?

    @exclusivity(unchecked) @usableFromInline var source: Source?

    @exclusivity(unchecked) @usableFromInline var wait: PollingWait?

    @exclusivity(unchecked) @usableFromInline var downstream: AnySubscriber<Output, Failure>?

    // The demand when the account was last read, and how much of it has not been delivered.
    @exclusivity(unchecked) @usableFromInline var known = Subscribers.Demand.none

    @exclusivity(unchecked) @usableFromInline var due = Subscribers.Demand.none

    @exclusivity(unchecked) @usableFromInline var isParked = false

    @inlinable static var turnsAtATime: Int { 32 }

    /// The milliseconds until a source that has postponed a value is polled again.
    @inlinable static var retryDelay: Int { 10 }

    /// Creates the conduit, to be sent downstream as the subscription.
    ///
    /// - Parameters:
    ///   - onCancel: Called upon `cancel()`, on its thread; the source may be released later.
    ///   - open: Opens the source, on the queue and at the first demand.
    @inlinable package init(
        name: StaticString, on queue: Source.Place, to downstream: AnySubscriber<Output, Failure>,
        onCancel: (() -> Void)? = nil, open: @escaping () throws(Failure) -> Source
    ) {
        self.name = name
        self.queue = queue
        self.onCancel = onCancel
        self.downstream = downstream
        self.open = open
        super.init(handle: PollingConduit.handling)
    }

    @usableFromInline package override var description: String { name.description }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { queue.run { self.serve() } }
    }

    @inlinable package func handleCancel() {
        guard let before = outstanding.close() else { return }
        onCancel?()
        if before == .none {
            release()
        } else {
            // Serving is under way, about to start, or waits for the source.
            queue.run { if self.isParked { self.release() } }
        }
    }

    @inlinable func serve() {
        isParked = false
        do throws(Failure) {
            if let open = self.open.take(), !outstanding.isClosed {
                source = try open()
                source?.watchEnd { [weak self] in self?.endIfIdle($0) }
            }
            var turns = Self.turnsAtATime
            while !outstanding.isClosed, let source {
                guard takeOver() else { return }
                if outstanding.isClosed { break }
                // A source that always has a value must not monopolize a shared thread.
                if turns == 0 { return queue.runLater { self.serve() } }
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
    @inlinable func takeOver() -> Bool {
        while due == .none, !outstanding.isClosed {
            let served = known
            known = .none
            if served > .none, outstanding.settle(served) { return false }
            known = outstanding.current
            if known > .none { due = known - served }
        }
        return true
    }

    @inlinable func deliver(_ value: Output) {
        // The poll may have taken its time.
        guard let downstream, !outstanding.isClosed else { return }
        due -= 1
        due += downstream.receive(value)
    }

    /// Resumes when the source is ready, unless the subscription has been released.
    @inlinable func park(at source: Source) {
        // Not by `??`, which is generic: it would wrap the closure once more at every wait.
        if case .none = wait { wait = source.waiting(on: queue) }
        isParked = true
        if let wait { wait { [weak self] in self?.serve() } }
    }

    /// Resumes after a delay, unless the subscription has been released.
    @inlinable func postpone() {
        isParked = true
        queue.run(afterMilliseconds: Self.retryDelay) { [weak self] in self?.serve() }
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        let isWanted = outstanding.close() != nil
        let downstream = self.downstream
        release()
        if isWanted { downstream?.receive(completion: completion) }
    }

    /// Completes the stream if nothing is requested; a poll finds the end otherwise.
    ///
    /// Called on the queue.
    @inlinable func endIfIdle(_ completion: Subscribers.Completion<Failure>) {
        // Whoever closes the account has the state, as on the queue no one serves now.
        guard outstanding.current == .none, outstanding.close() != nil else { return }
        let downstream = self.downstream
        release()
        downstream?.receive(completion: completion)
    }

    /// Releases everything, after the state is consistent, because releasing may run other code.
    @inlinable func release() {
        isParked = false
        let (source, wait, downstream) = (source.take(), wait.take(), downstream.take())
        open = nil
        withExtendedLifetime((source, wait, downstream)) {}
    }
}
