import HeadgateCore

/// What a buffer does with a value for which it has no room.
@usableFromInline package enum OverflowRule<Failure: Error> {
    case dropNewest
    case dropOldest
    case fail(() -> Failure)
}

/// Keeps values for a subscriber that asks for fewer than there are.
///
/// The end of upstream, whichever, waits behind the values that are kept.
@usableFromInline package final class BufferConduit<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package enum Event {
        case subscription(any Subscription)
        case value(Output)
        case end(Subscribers.Completion<Failure>)
        case demand
        case cancel
    }

    @usableFromInline package let drain = AskingDrain<Event>()

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let size: Int

    /// Whether upstream is asked for as much as there is room for, and not for everything.
    @usableFromInline package let keepsFull: Bool

    @usableFromInline package let whenFull: OverflowRule<Failure>

    // The members below belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    @exclusivity(unchecked) @usableFromInline package var upstream: (any Subscription)?

    @exclusivity(unchecked) @usableFromInline package var queue = Queue<Output>()

    /// How the stream ends when all that is kept has been delivered.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    @inlinable package init(
        size: Int, keepsFull: Bool, whenFull: OverflowRule<Failure>,
        _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.size = size
        self.keepsFull = keepsFull
        self.whenFull = whenFull
        self.downstream = Downstream(downstream)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: BufferConduit.self)
            switch signal {
            case .request(let demand):
                // With demand left, nothing is kept.
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.perform(.demand) }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.perform(.cancel) }
            }
        }
    }

    @inlinable package func perform(_ event: Event) {
        drain.run(event) { performNow($0) }
    }

    @inlinable @inline(__always) package func leave() {
        if !drain.leaveAtOnce() { leaveSlowly() }
    }

    @inlinable @inline(never) package func leaveSlowly() {
        drain.leaveSlowly { performNow($0) }
    }

    @inlinable @inline(never) package func push(_ event: Event) {
        drain.push(event) { performNow($0) }
    }

    @inlinable package func performNow(_ event: Event) {
        switch event {
        case .subscription(let subscription):
            if connect(to: subscription) { drain.ask(subscription, for: firstDemand) }
        case .value(let value):
            let more = take(value)
            if more > .none, let upstream { drain.ask(upstream, for: more) }
        case .end(let completion):
            if hasEnded || ending != nil { return }
            upstream = nil
            ending = completion
            finishIfDone()
        case .demand:
            serve()
        case .cancel:
            _ = release()
        }
    }

    @inlinable package func connect(to subscription: any Subscription) -> Bool {
        if hasEnded || ending != nil || upstream != nil {
            subscription.cancel()
            return false
        }
        upstream = subscription
        return true
    }

    @inlinable package var firstDemand: Subscribers.Demand { keepsFull ? .max(size) : .unlimited }

    /// Delivers a value, keeps it, or does what is to be done when there is no room.
    ///
    /// - Returns: What to ask upstream for.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        if hasEnded || ending != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            outstanding.add(downstream.receive(value))
            return keepsFull && !outstanding.isClosed ? .max(1) : .none
        }
        if !outstanding.isClosed { keep(value) }
        return .none
    }

    @inlinable package func keep(_ value: Output) {
        if queue.count < size { return queue.append(value) }
        switch whenFull {
        case .dropNewest:
            break
        case .dropOldest:
            if size == 0 { return }
            queue.removeFirst()
            queue.append(value)
        case .fail(let makeError):
            upstream.take()?.cancel()
            ending = .failure(makeError())
            finishIfDone()
        }
    }

    /// Delivers what is kept, as far as it is wanted.
    @inlinable package func serve() {
        var room = 0
        while let value = queue.first, outstanding.takeOne() {
            queue.removeFirst()
            room += 1
            outstanding.add(downstream.receive(value))
        }
        if hasEnded || outstanding.isClosed { return }
        if keepsFull, room > 0, let upstream { drain.ask(upstream, for: .max(room)) }
        finishIfDone()
    }

    @inlinable package func finishIfDone() {
        guard !hasEnded, let ending, queue.isEmpty else { return }
        let wasOpen = outstanding.close() != nil
        let receiveCompletion = release()
        if wasOpen { receiveCompletion?(ending) }
    }

    /// Cancels upstream unless it has ended, and lets go of everything.
    ///
    /// - Returns: How to tell the subscriber of the end.
    @inlinable package func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        hasEnded = true
        drain.forgetAsks()
        queue = Queue()
        upstream.take()?.cancel()
        return downstream.release()
    }

    @usableFromInline package override var description: String { "Buffer" }
}

/// What subscribes to the publisher whose values are kept.
@usableFromInline package struct BufferSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: BufferConduit<Input, Failure>

    @inlinable package init(conduit: BufferConduit<Input, Failure>) { self.conduit = conduit }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let isTaken = conduit.connect(to: subscription)
            conduit.leave()
            if isTaken { subscription.request(conduit.firstDemand) }
        } else {
            conduit.push(.subscription(subscription))
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.take(input)
            conduit.leave()
            return more
        }
        conduit.push(.value(input))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) { conduit.perform(.end(completion)) }
}
