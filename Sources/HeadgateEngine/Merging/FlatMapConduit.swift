import HeadgateCore
import Synchronization

/// Merging the inner publishers of an outer one.
extension MergeConduit {
    /// Attaches a subscriber to the merged values of the publishers that another one's values are transformed into.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of inner publishers that are active at a time.
    ///   - attach: Creates a publisher from a value, and attaches it; returns the demand for the outer publisher.
    ///     Called outside the drain.
    @inlinable package static func connect<Outer: Publisher>(
        _ outer: Outer, limit: Subscribers.Demand, failures: FailureTiming = .atOnce,
        to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Outer.Output, MergeConduit) -> Subscribers.Demand
    ) where Outer.Failure == Failure {
        let conduit = MergeConduit(
            name: "FlatMap", count: 1, outer: Upstream(), limit: limit, failures: failures, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            outer.receive(subscriber: OuterInlet(conduit, attach: attach))
        } start: {
            conduit.serve()
        }
    }

    /// Adds an inner publisher.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable package func attach(_ publisher: some Publisher<Output, Failure>) -> Subscribers.Demand {
        living.add(1, ordering: .relaxed)
        publisher.receive(subscriber: member())
        return .none
    }

    /// Receives the value of an inner publisher that publishes nothing else and needs no subscription.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable package func receive(only value: Output) -> Subscribers.Demand {
        if takeTurn() {
            return leave(answering: take(only: value), to: outer.subscription)
        }
        if outstanding.takeOne() {
            postpone { self.take(reserved: value, from: MergeMember()) }
            return limit == .unlimited ? .none : .max(1)
        }
        postpone { self.request(self.take(only: value), from: self.outer.subscription) }
        return .none
    }

    /// Delivers such a value, or keeps it until there is demand.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable @inline(__always) func take(only value: Output) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure values are waiting.
        if queue.isEmpty, outstanding.takeOne() {
            pass(value)
            return limit == .unlimited || outstanding.isClosed ? .none : .max(1)
        }
        if isOver || failure != nil { return .none }
        wait(only: value)
        return .none
    }

    @usableFromInline func wait(only value: Output) {
        let member = MergeMember()
        member.hasEnded = true
        keep(Waiting(value, from: member, isReplaced: true))
    }
}
