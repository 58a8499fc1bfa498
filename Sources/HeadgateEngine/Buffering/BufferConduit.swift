import HeadgateCore

/// What a buffer does with a value for which it has no room.
@usableFromInline package enum OverflowRule<Failure: Error> {
    case dropNewest
    case dropOldest
    case fail(() -> Failure)
}

/// Keeps values for a subscriber that requests fewer than there are.
///
/// The end of upstream, whichever, waits until the values that are kept have been delivered.
@usableFromInline package final class BufferConduit<Output, Failure: Error>: JoiningConduit<Output, Failure> {
    @usableFromInline let size: Int

    /// Whether upstream is requested as much as there is room for, and not everything.
    @usableFromInline let keepsFull: Bool

    @usableFromInline let whenFull: OverflowRule<Failure>

    @usableFromInline let upstream = Upstream()

    // The next two belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    /// How the stream ends when all that is kept has been delivered.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable package init(
        size: Int, keepsFull: Bool, whenFull: OverflowRule<Failure>, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.size = size
        self.keepsFull = keepsFull
        self.whenFull = whenFull
        super.init(name: "Buffer", downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: BufferConduit.self)
            switch signal {
            case .request(let demand):
                // With demand left, nothing is kept.
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
            publisher.receive(subscriber: BufferInlet(self))
        } start: {
            self.start()
        }
    }

    /// Requests as much as there is room for, once.
    @usableFromInline func start() {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(keepsFull ? .max(size) : .unlimited, from: upstream.subscription)
    }

    /// Delivers a value, keeps it, or does what is to be done when there is no room.
    ///
    /// - Returns: What to request from upstream.
    @inlinable @inline(__always) func take(_ value: Output) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            return keepsFull && !outstanding.isClosed ? .max(1) : .none
        }
        keep(value)
        return .none
    }

    @inlinable func keep(_ value: Output) {
        if queue.count < size { return queue.append(value) }
        switch whenFull {
        case .dropNewest:
            break
        case .dropOldest:
            if size == 0 { return }
            queue.removeFirst()
            queue.append(value)
        case .fail(let makeError):
            upstream.cancel()
            ending = .failure(makeError())
            finishIfDone()
        }
    }

    /// Delivers what is kept, as far as it is wanted.
    @inlinable func serve() {
        if isOver { return }
        start()
        var room = 0
        while !queue.isEmpty, outstanding.takeOne(), let value = queue.popFirst() {
            room += 1
            _ = deliver(value)
        }
        if isOver { return }
        if keepsFull { request(.max(room), from: upstream.subscription) }
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

/// What subscribes to the publisher whose values are kept.
@usableFromInline struct BufferInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let buffer: BufferConduit<Input, Failure>

    @inlinable init(_ buffer: BufferConduit<Input, Failure>) { self.buffer = buffer }

    @inlinable var conduit: DrainingConduit { buffer }

    @inlinable var upstream: ConduitSubscription? { buffer.upstream.subscription }

    @inlinable func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard buffer.upstream.connect(to: subscription, isWanted: !buffer.isOver) else { return .none }
        if buffer.phase != .connecting { buffer.start() }
        return .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { buffer.take(input) }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { buffer.end(completion) }
}
