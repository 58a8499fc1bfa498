import HeadgateCore

/// Serves one subscriber from several inner publishers that are active at the same time, in the order in which the
/// outer publisher has published them.
///
/// Values of the oldest publisher go straight through. From each of the others, a number of values is requested ahead,
/// which wait until it is the oldest. Completions wait in the same way, so the values are delivered as if the
/// publishers were concatenated.
@usableFromInline
package final class SequentialConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering, Flattening {
    @usableFromInline package typealias Input = Output

    /// How many inner publishers are to be requested when there is demand: at first, the maximum number of those that
    /// are active at a time.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var missing: Subscribers.Demand

    /// How many values are requested ahead from each of them.
    @usableFromInline let prefetch: Int

    @usableFromInline package let outer = Upstream()

    /// The publishers that have not been delivered to their end, the oldest first.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var lines = Queue<SequentialLine<Output, Failure>>()

    /// The oldest of them.
    @exclusivity(unchecked) @usableFromInline var head: SequentialLine<Output, Failure>?

    /// How the outer publisher has completed.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable init(limit: Int, prefetch: Int, _ downstream: AnySubscriber<Output, Failure>) {
        missing = .max(limit)
        self.prefetch = prefetch
        super.init(name: "FlatMapSequential", downstream, handle: SequentialConduit.serving)
    }

    /// Attaches a subscriber to the values of the publishers that another one's values are transformed into.
    ///
    /// - Parameter attach: Creates a publisher from a value, and attaches it. Called outside the drain.
    @inlinable package static func connect<Outer: Publisher>(
        _ outer: Outer, limit: Int, prefetch: Int, to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Outer.Output, SideInlet<SequentialConduit>) -> Void
    ) where Outer.Failure == Failure {
        let conduit = SequentialConduit(limit: limit, prefetch: prefetch, AnySubscriber(subscriber))
        conduit.connect(outer, as: conduit.outer, to: subscriber) { input, conduit in
            attach(input, SideInlet(conduit, conduit.addLine()))
            return .none
        }
    }

    /// Adds a publisher that is about to be attached.
    @usableFromInline func addLine() -> SequentialLine<Output, Failure> {
        let line = SequentialLine<Output, Failure>()
        let add = {
            if self.isOver { return line.cancel() }
            if self.head == nil { self.head = line } else { self.lines.append(line) }
        }
        if takeTurn() {
            add()
            leave()
        } else {
            postpone(add)
        }
        return line
    }

    @inlinable package func connect(
        _ line: SequentialLine<Output, Failure>, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        line.connect(to: subscription, isWanted: !isOver) ? .max(prefetch) : .none
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: The demand to return to its publisher.
    @inlinable @inline(__always) package func take(
        _ value: Output, from line: SequentialLine<Output, Failure>
    ) -> Subscribers.Demand {
        if isOver || line.hasEnded { return .none }
        if line === head, line.queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            return outstanding.isClosed ? .none : .max(1)
        }
        line.queue.append(value)
        return .none
    }

    /// Delivers the values whose turn it is, as far as there is demand.
    @usableFromInline package func serve() {
        if isOver { return }
        while let line = head {
            var room = 0
            while !line.queue.isEmpty, outstanding.takeOne(), let value = line.queue.popFirst() {
                room += 1
                _ = deliver(value)
            }
            if isOver { return }
            guard line.queue.isEmpty, let completion = line.ending else {
                request(.max(room), from: line.subscription)
                return requestOuter()
            }
            if case .failure = completion { return finish(completion) }
            head = lines.popFirst()
            missing += 1
        }
        if let ending { return finish(ending) }
        requestOuter()
    }

    /// Requests publishers in place of those that have been delivered: after what has been requested before, which may
    /// use up the demand, unless the outer publisher may send the next one meanwhile.
    @usableFromInline func requestOuter() {
        if outer.traits.contains(.sendsByItself) {
            request(demandForOuter(), from: outer.subscription)
        } else if missing > .none {
            requestByChoice()
        }
    }

    @usableFromInline package override func nextRequest() -> (
        demand: Subscribers.Demand, upstream: ConduitSubscription
    )? {
        let demand = demandForOuter()
        return demand > .none ? outer.subscription.map { (demand, $0) } : nil
    }

    @inlinable package func demandForOuter() -> Subscribers.Demand {
        outer.subscription == nil || !outstanding.isPending ? .none : exchange(&missing, with: .none)
    }

    @usableFromInline package func end(
        _ line: SequentialLine<Output, Failure>, _ completion: Subscribers.Completion<Failure>
    ) {
        if isOver || !line.end() { return }
        line.ending = completion
        if line === head { serve() }
    }

    @usableFromInline package func endOuter(_ completion: Subscribers.Completion<Failure>) {
        ending = completion
        if head == nil { finish(completion) }
    }

    @usableFromInline package override var traitsByUpstreams: SubscriptionTraits {
        outer.traits.intersection(.startsOnDemand)
    }

    @usableFromInline package override func releaseUpstreams() {
        outer.cancel()
        head.take()?.release()
        while let line = lines.popFirst() { line.release() }
    }
}

/// One of the publishers that a `SequentialConduit` serves from.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class SequentialLine<Output, Failure: Error>: Upstream {
    /// The values that wait for their turn, or for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @usableFromInline func release() {
        queue = Queue()
        cancel()
    }
}
