import HeadgateCore
import Synchronization

/// Serves one subscriber from the latest of many publishers, and carries its demand from each to the next.
///
/// The publisher that is left may still be delivering on another thread when the next one begins, so everything goes
/// through one drain. Publishers are attached and asked outside it, so that one that answers at once delivers directly.
@usableFromInline package final class SwitchConduit<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package enum Event {
        case outer(any Subscription)
        case outerEnd(Subscribers.Completion<Failure>)
        /// Leaves the present publisher for one that is about to be attached.
        case turn(Int)
        case subscription(any Subscription, turn: Int)
        case value(Output, turn: Int)
        case end(Subscribers.Completion<Failure>, turn: Int)
        case request(Subscribers.Demand)
        case cancel
    }

    @usableFromInline package let drain = AskingDrain<Event>()

    /// Closed by `cancel()` at once, and at the end.
    @usableFromInline package let isClosed = Atomic(false)

    // Used inside the deliveries of the publisher of publishers alone, and those are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var lastTurn = 0

    // The members below belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// What was asked for and has not been delivered.
    @exclusivity(unchecked) @usableFromInline package var wanted = Subscribers.Demand.none

    @exclusivity(unchecked) @usableFromInline package var outer: (any Subscription)?

    @exclusivity(unchecked) @usableFromInline package var outerHasEnded = false

    @exclusivity(unchecked) @usableFromInline package var inner: (any Subscription)?

    /// Whether the latest publisher has not ended.
    @exclusivity(unchecked) @usableFromInline package var innerIsGoing = false

    @exclusivity(unchecked) @usableFromInline package var turn = 0

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    @inlinable package init(_ downstream: AnySubscriber<Output, Failure>) {
        self.downstream = Downstream(downstream)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SwitchConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none, !conduit.isClosed.load(ordering: .relaxed) { conduit.perform(.request(demand)) }
            case .cancel:
                if !conduit.isClosed.exchange(true, ordering: .acquiringAndReleasing) { conduit.perform(.cancel) }
            }
        }
    }

    /// Connects a subscriber to the latest of the publishers that another one publishes.
    @inlinable package static func connect<Upstream: Publisher, S: Subscriber>(_ upstream: Upstream, to subscriber: S)
    where
        Upstream.Output: Publisher, Upstream.Output.Output == Output, S.Input == Output,
        Upstream.Output.Failure == Failure, Upstream.Failure == Failure, S.Failure == Failure
    {
        let conduit = SwitchConduit(AnySubscriber(subscriber))
        subscriber.receive(subscription: conduit)
        if conduit.isClosed.load(ordering: .relaxed) { return }
        upstream.receive(
            subscriber: SwitchSubscriber(conduit: conduit) { publisher, subscriber in
                publisher.receive(subscriber: subscriber)
            })
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
        case .outer(let subscription):
            if connect(outer: subscription) { drain.ask(subscription, for: .unlimited) }
        case .outerEnd(let completion):
            outer = nil
            outerHasEnded = true
            if case .failure = completion { finish(completion) } else if !innerIsGoing { finish(.finished) }
        case .turn(let turn):
            if hasEnded { return }
            self.turn = turn
            innerIsGoing = true
            inner.take()?.cancel()
        case .subscription(let subscription, let turn):
            if let demand = connect(subscription, turn) { drain.ask(subscription, for: demand) }
        case .value(let value, let turn):
            let more = deliver(value, turn)
            if more > .none, let inner { drain.ask(inner, for: more) }
        case .end(let completion, let turn):
            end(completion, turn)
        case .request(let demand):
            if hasEnded { return }
            wanted += demand
            if let inner { drain.ask(inner, for: demand) }
        case .cancel:
            _ = release()
        }
    }

    @inlinable package func connect(outer subscription: any Subscription) -> Bool {
        if hasEnded || outer != nil || outerHasEnded {
            subscription.cancel()
            return false
        }
        outer = subscription
        return true
    }

    /// Takes in the subscription of the latest publisher.
    ///
    /// - Returns: What to ask it for.
    @inlinable package func connect(_ subscription: any Subscription, _ turn: Int) -> Subscribers.Demand? {
        if hasEnded || turn != self.turn || inner != nil || !innerIsGoing {
            subscription.cancel()
            return nil
        }
        inner = subscription
        return wanted == .none ? nil : wanted
    }

    /// Delivers a value of the latest publisher.
    ///
    /// - Returns: What to ask that publisher for.
    @inlinable @inline(__always) package func deliver(_ value: Output, _ turn: Int) -> Subscribers.Demand {
        if turn != self.turn || wanted == .none || !innerIsGoing || isClosed.load(ordering: .relaxed) { return .none }
        wanted -= 1
        let more = downstream.receive(value)
        wanted += more
        return more
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>, _ turn: Int) {
        if hasEnded || turn != self.turn || !innerIsGoing { return }
        inner = nil
        innerIsGoing = false
        if case .failure = completion { finish(completion) } else if outerHasEnded { finish(.finished) }
    }

    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) {
        if hasEnded { return }
        let wasOpen = !isClosed.exchange(true, ordering: .acquiringAndReleasing)
        let receiveCompletion = release()
        if wasOpen { receiveCompletion?(completion) }
    }

    /// Cancels whoever has not ended, and lets go of everything.
    ///
    /// - Returns: How to tell the subscriber of the end.
    @inlinable package func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        hasEnded = true
        drain.forgetAsks()
        outer.take()?.cancel()
        inner.take()?.cancel()
        return downstream.release()
    }

    @usableFromInline package override var description: String { "SwitchToLatest" }
}
