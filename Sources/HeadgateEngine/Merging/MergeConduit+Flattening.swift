import HeadgateCore
import Synchronization

/// Merging the inner publishers of an outer one.
extension MergeConduit: Flattening {
    /// Whether another publisher is requested after the only value of an inner one.
    @inlinable @inline(__always) var isLimited: Bool {
        limit != .unlimited || goesOneByOne.load(ordering: .relaxed)
    }

    /// Creates a conduit for the publishers that the values of an outer publisher are transformed into.
    // Not inlined: it stands once in a client's code, and not once per operator of a chain.
    @inlinable @inline(never) package static func flattening(
        limit: Subscribers.Demand, failsAfterValues: Bool, _ subscriber: some Subscriber<Output, Failure>
    ) -> (conduit: MergeConduit, outer: Upstream) {
        let outer = Upstream()
        let conduit = MergeConduit(
            name: "FlatMap", count: 1, outer: outer, limit: limit, failsAfterValues: failsAfterValues,
            AnySubscriber(subscriber))
        return (conduit, outer)
    }

    /// Adds an inner publisher, or receives its only value if it needs no subscription.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    // Not inlined, for the same reason.
    @inlinable @inline(never) package func attach(
        _ publisher: some Publisher<Output, Failure>, from outer: Upstream
    ) -> Subscribers.Demand {
        if let value = publisher._soleValue { return receive(only: value, from: outer) }
        living.add(1, ordering: .relaxed)
        QueueRegistry.bind(counts?.registry) { publisher.receive(subscriber: member()) }
        return goesOneByOne.load(ordering: .relaxed) ? requestAnother(from: outer) : .none
    }

    /// Requests another publisher, where they are requested one by one.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @usableFromInline func requestAnother(from outer: Upstream) -> Subscribers.Demand {
        if takeTurn() {
            let more = demandIfOneByOne(from: outer)
            leave()
            return more
        }
        postpone { self.request(self.demandIfOneByOne(from: outer), from: outer) }
        return .none
    }

    @inlinable func demandIfOneByOne(from outer: Upstream) -> Subscribers.Demand {
        goesOneByOne.load(ordering: .relaxed) ? demandForNext(of: outer) : .none
    }

    /// Receives the value of an inner publisher that publishes nothing else and needs no subscription.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable func receive(only value: Output, from outer: Upstream) -> Subscribers.Demand {
        if takeTurn() {
            let more = take(only: value, from: outer)
            leave()
            return more
        }
        guard outstanding.takeOne() else {
            postpone { self.request(self.take(only: value, from: outer), from: outer) }
            return .none
        }
        let isReplaced = outstanding.isPending
        postpone { self.take(reserved: value, from: outer, isReplaced: isReplaced || !self.isLimited) }
        return isReplaced && isLimited ? .max(1) : .none
    }

    /// Delivers such a value, or keeps it until there is demand.
    ///
    /// - Returns: How many more publishers to request from the outer publisher.
    @inlinable @inline(__always) func take(only value: Output, from outer: Upstream) -> Subscribers.Demand {
        // If the stream is over, there is no demand, and after a failure values are waiting.
        if queue.isEmpty, outstanding.takeOne() {
            pass(value)
        } else {
            if isOver || failure != nil { return .none }
            keep(value)
        }
        return isLimited ? demandForNext(of: outer) : .none
    }

    @usableFromInline package func demandForOuter() -> Subscribers.Demand {
        guard let outer, outer.subscription != nil, outstanding.isPending else { return .none }
        let isUnlimited = outstanding.isUnlimited
        if !outer.isRequested {
            outer.isRequested = true
            let waits = limit == .unlimited && !isUnlimited && outer.traits.contains(.waitsForDemand)
            goesOneByOne.store(waits, ordering: .relaxed)
            return waits ? .max(1) : limit
        }
        guard isUnlimited, goesOneByOne.load(ordering: .relaxed) else { return .none }
        goesOneByOne.store(false, ordering: .relaxed)
        return .unlimited
    }

    @inlinable package func endOuter(_ completion: Subscribers.Completion<Failure>) { hasOneLess(completion) }
}
