import HeadgateCore

/// Folds the values that come while nothing is requested into one.
///
/// Without a limit, upstream is requested everything from. With one, it is requested no more than so many values ahead.
@usableFromInline package final class ConflateConduit<Input, Output, Failure: Error>: JoiningConduit<Output, Failure> {
    /// How many values one may be folded from.
    @usableFromInline let limit: Subscribers.Demand

    @usableFromInline let begin: (Input) -> Output

    @usableFromInline let fold: (inout Output, Input) -> Void

    @usableFromInline let upstream = Upstream()

    // The next three belong to the owner of the drain, hence unchecked.

    /// What waits for demand.
    @exclusivity(unchecked) @usableFromInline var waiting: Output?

    /// How many values it has been folded from.
    @exclusivity(unchecked) @usableFromInline var count = 0

    /// How the stream ends when nothing waits any more.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable package init(
        name: StaticString, limit: Subscribers.Demand, _ downstream: AnySubscriber<Output, Failure>,
        begin: @escaping (Input) -> Output, fold: @escaping (inout Output, Input) -> Void
    ) {
        self.limit = limit
        self.begin = begin
        self.fold = fold
        super.init(name: name, downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: ConflateConduit.self)
            switch signal {
            case .request(let demand):
                // With demand left, nothing waits.
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.attend { conduit.serve() } }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.attend { conduit.release() } }
            }
        }
    }

    /// Connects a subscriber to what the values of a publisher are folded into.
    @inlinable package func connect(
        _ publisher: some Publisher<Input, Failure>, to subscriber: some Subscriber<Output, Failure>
    ) {
        connect(subscriber) {
            publisher.receive(subscriber: ConflateInlet(self))
        } start: {
            self.start()
        }
    }

    @usableFromInline func start() {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(limit, from: upstream.subscription)
    }

    /// Delivers a value by itself, or folds it into what waits.
    ///
    /// - Returns: What to request from upstream.
    @inlinable @inline(__always) func take(_ input: Input) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        if waiting == nil {
            let value = begin(input)
            if outstanding.takeOne() {
                _ = deliver(value)
                return limit == .unlimited || outstanding.isClosed ? .none : .max(1)
            }
            waiting = value
        } else {
            fold(&waiting!, input)
        }
        count += 1
        return .none
    }

    /// Delivers what waits, if it is wanted.
    @inlinable func serve() {
        if isOver { return }
        start()
        guard waiting != nil, outstanding.takeOne(), let value = waiting.take() else { return }
        let room = exchange(&count, with: 0)
        _ = deliver(value)
        if isOver { return }
        if limit != .unlimited { request(.max(room), from: upstream.subscription) }
        finishIfDone()
    }

    @usableFromInline func end(_ completion: Subscribers.Completion<Failure>) {
        if isOver || !upstream.end() { return }
        ending = completion
        finishIfDone()
    }

    @usableFromInline func finishIfDone() {
        if let ending, waiting == nil { finish(ending) }
    }

    @usableFromInline package override func releaseUpstreams() {
        waiting = nil
        upstream.cancel()
    }
}

/// What subscribes to the publisher whose values are folded.
@usableFromInline struct ConflateInlet<Input, Output, Failure: Error>: Inlet {
    @usableFromInline let conflation: ConflateConduit<Input, Output, Failure>

    @inlinable init(_ conflation: ConflateConduit<Input, Output, Failure>) { self.conflation = conflation }

    @inlinable var conduit: DrainingConduit { conflation }

    @inlinable var upstream: (any Subscription)? { conflation.upstream.subscription }

    @inlinable func connect(to subscription: any Subscription) -> Subscribers.Demand {
        guard conflation.upstream.connect(to: subscription, isWanted: !conflation.isOver) else { return .none }
        if conflation.phase != .connecting { conflation.start() }
        return .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { conflation.take(input) }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { conflation.end(completion) }
}
