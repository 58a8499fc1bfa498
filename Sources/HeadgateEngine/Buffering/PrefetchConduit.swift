import HeadgateCore

/// Requests values in steps, ahead of the demand for them.
///
/// At most so many are under way or waiting. Upstream is requested the next step from when the rest has come down to the
/// low tide. The end of upstream, whichever, waits until the values that wait have been delivered.
@usableFromInline package final class PrefetchConduit<Output, Failure: Error>: JoiningConduit<Output, Failure> {
    @usableFromInline let high: Int

    /// How many values one request is for.
    @usableFromInline let step: Int

    @usableFromInline let upstream = Upstream()

    // The next three belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    /// How many values have been delivered since the last request, or the first that was made.
    @exclusivity(unchecked) @usableFromInline var delivered = 0

    /// How the stream ends when all that waits has been delivered.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable package init(high: Int, low: Int, _ downstream: AnySubscriber<Output, Failure>) {
        self.high = high
        step = high - low
        super.init(name: "Prefetch", downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: PrefetchConduit.self)
            switch signal {
            case .request(let demand):
                // With demand left, nothing waits.
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.attend { conduit.serve() } }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.attend { conduit.release() } }
            }
        }
    }

    /// Connects a subscriber to the values of a publisher.
    @inlinable package func connect(
        _ publisher: some Publisher<Output, Failure>, to subscriber: some Subscriber<Output, Failure>
    ) {
        connect(subscriber) {
            publisher.receive(subscriber: PrefetchInlet(self))
        } start: {
            self.start()
        }
    }

    @usableFromInline func start() {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(.max(high), from: upstream.subscription)
    }

    /// Delivers a value, or lets it wait.
    ///
    /// - Returns: What to request from upstream.
    @inlinable @inline(__always) func take(_ value: Output) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            return countDelivery()
        }
        queue.append(value)
        return .none
    }

    /// Counts a value that has been delivered.
    ///
    /// - Returns: What to request from upstream, now that it has.
    @inlinable @inline(__always) func countDelivery() -> Subscribers.Demand {
        delivered += 1
        if delivered < step { return .none }
        delivered = 0
        return outstanding.isClosed ? .none : .max(step)
    }

    /// Delivers what waits, as far as it is wanted.
    @inlinable func serve() {
        if isOver { return }
        start()
        var due = Subscribers.Demand.none
        while !queue.isEmpty, outstanding.takeOne(), let value = queue.popFirst() {
            _ = deliver(value)
            due += countDelivery()
        }
        if isOver { return }
        request(due, from: upstream.subscription)
        finishIfDone()
    }

    @usableFromInline func end(_ completion: Subscribers.Completion<Failure>) {
        if isOver || !upstream.end() { return }
        ending = completion
        finishIfDone()
    }

    @usableFromInline func finishIfDone() {
        if let ending, queue.isEmpty { finish(ending) }
    }

    @usableFromInline package override func releaseUpstreams() {
        queue = Queue()
        upstream.cancel()
    }
}

/// What subscribes to the publisher whose values are requested ahead.
@usableFromInline struct PrefetchInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let prefetching: PrefetchConduit<Input, Failure>

    @inlinable init(_ prefetching: PrefetchConduit<Input, Failure>) { self.prefetching = prefetching }

    @inlinable var conduit: DrainingConduit { prefetching }

    @inlinable var upstream: (any Subscription)? { prefetching.upstream.subscription }

    @inlinable func connect(to subscription: any Subscription) -> Subscribers.Demand {
        guard prefetching.upstream.connect(to: subscription, isWanted: !prefetching.isOver) else { return .none }
        if prefetching.phase != .connecting { prefetching.start() }
        return .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { prefetching.take(input) }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { prefetching.end(completion) }
}
