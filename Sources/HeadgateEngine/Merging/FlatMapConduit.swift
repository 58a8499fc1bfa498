import HeadgateCore
import Synchronization

/// Merging the inner publishers of an outer one.
extension MergeConduit {
    /// Creates a conduit for the publishers that the values of an outer publisher are transformed into.
    ///
    /// - Parameter limit: The maximum number of inner publishers that are active at a time.
    // Not inlined: it stands once in a client's code, and not once per operator of a chain.
    @inlinable @inline(never) package static func flattening(
        limit: Subscribers.Demand, failures: FailureTiming, _ subscriber: some Subscriber<Output, Failure>
    ) -> MergeConduit {
        MergeConduit(
            name: "FlatMap", count: 1, outer: Upstream(), limit: limit, failures: failures, AnySubscriber(subscriber))
    }

    /// Adds an inner publisher, or receives its only value if it needs no subscription.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    // Not inlined, for the same reason.
    @inlinable @inline(never) package func attach(_ publisher: some Publisher<Output, Failure>) -> Subscribers.Demand {
        if let value = publisher._soleValue { return receive(only: value) }
        living.add(1, ordering: .relaxed)
        publisher.receive(subscriber: member())
        return goesOneByOne.load(ordering: .relaxed) ? requestAnother() : .none
    }

    /// Requests another publisher, where they are requested one by one.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @usableFromInline func requestAnother() -> Subscribers.Demand {
        if takeTurn() {
            let more = goesOneByOne.load(ordering: .relaxed) ? demandForAnother() : .none
            return leave(answering: more, to: outer.subscription)
        }
        postpone {
            if self.goesOneByOne.load(ordering: .relaxed) {
                self.request(self.demandForAnother(), from: self.outer.subscription)
            }
        }
        return .none
    }

    /// Receives the value of an inner publisher that publishes nothing else and needs no subscription.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable func receive(only value: Output) -> Subscribers.Demand {
        if takeTurn() {
            return leave(answering: take(only: value), to: outer.subscription)
        }
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(only: value), from: self.outer.subscription) }
            return .none
        }
        let isReplaced = outstanding.isPending
        postpone {
            self.take(reserved: value, from: MergeMember(), isReplaced: true)
            if self.isLimited, !isReplaced { self.request(self.demandForAnother(), from: self.outer.subscription) }
        }
        return isReplaced && isLimited ? .max(1) : .none
    }

    /// Whether the outer publisher is requested from again after the only value of an inner one.
    @inlinable @inline(__always) var isLimited: Bool {
        limit != .unlimited || goesOneByOne.load(ordering: .relaxed)
    }

    /// Delivers such a value, or keeps it until there is demand.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable @inline(__always) func take(only value: Output) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure values are waiting.
        if queue.isEmpty, outstanding.takeOne() {
            pass(value)
            return isLimited ? demandForAnother() : .none
        }
        if isOver || failure != nil { return .none }
        wait(only: value)
        return .none
    }

    @usableFromInline func wait(only value: Output) {
        let member = MergeMember()
        member.hasEnded = true
        keep(Waiting(value, from: member, isReplaced: true))
        if limit == .unlimited, goesOneByOne.load(ordering: .relaxed) {
            missing += 1
            awaitsDemand = true
        }
    }
}
