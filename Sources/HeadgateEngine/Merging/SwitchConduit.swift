import HeadgateCore

/// Serves one subscriber from the most recent of many publishers, and carries its demand over from each to the next.
///
/// The previous publisher may still be delivering on another thread when the next one begins. Publishers are attached
/// outside the drain, so one that delivers immediately does so directly.
@usableFromInline
package final class SwitchConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering, Flattening {
    @usableFromInline package typealias Input = Output

    /// The outer publisher.
    @usableFromInline package let outer = Upstream()

    /// Whether the completion of the most recent publisher completes the stream, though another one might follow.
    @usableFromInline let finishesWithInner: Bool

    /// The most recent publisher.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var inner: Upstream?

    /// The most recent publisher until its turn, if it has been attached from inside a delivery and sends on its own:
    /// new demand goes to it.
    @exclusivity(unchecked) @usableFromInline var coming: Upstream?

    /// How much has been requested from it.
    @exclusivity(unchecked) @usableFromInline var requestedAhead = Subscribers.Demand.none

    /// How many units of demand are held by values that wait for the drain's owner.
    // Taken and given back under the lock, so that `unspent` finds each unit on one side.
    @usableFromInline let held = Guarded(0)

    /// The outstanding demand, with what is held.
    @usableFromInline var unspent: Subscribers.Demand { held.withLock { outstanding.current + .max($0) } }

    @inlinable init(
        name: StaticString, finishesWithInner: Bool, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.finishesWithInner = finishesWithInner
        super.init(name: name, downstream, handle: SwitchConduit.forwarding)
    }

    /// Attaches a subscriber to the most recent of the publishers that another one publishes.
    @inlinable package static func connect<Outer: Publisher>(
        _ publishers: Outer, name: StaticString = "SwitchToLatest", finishesWithInner: Bool = false,
        to subscriber: some Subscriber<Output, Failure>
    ) where Outer.Output: Publisher<Output, Failure>, Outer.Failure == Failure {
        let conduit = SwitchConduit(
            name: name, finishesWithInner: finishesWithInner, AnySubscriber(subscriber))
        conduit.connect(publishers, as: conduit.outer, to: subscriber) { publisher, conduit, _ in
            if let value = publisher._soleValue, conduit.receive(only: value) { return .none }
            conduit.attach(publisher)
            return .none
        }
    }

    // Not inlined: a publisher of one value needs less of the stack.
    @inlinable @inline(never) func attach(_ publisher: some Publisher<Output, Failure>) {
        let inlet = SideInlet(self, replaceInner())
        QueueRegistry.bind(counts?.registry) { publisher.receive(subscriber: inlet) }
    }

    /// Unlimited values from the first demand on: which publisher is the most recent doesn't depend on demand.
    @inlinable package func demandForOuter() -> Subscribers.Demand {
        demandOnce(.unlimited, of: outer)
    }

    /// Adds new demand and forwards it.
    @usableFromInline package func forwardDemand() {
        if isOver { return }
        let demand = takeDemand()
        request(demandForOuter(), from: outer)
        if coming != nil { requestAhead(demand) } else if let inner { request(demand, from: inner) }
    }

    // Not inlined: the function that delivers a value stays small.
    @usableFromInline @inline(never) func requestAhead(_ demand: Subscribers.Demand) {
        requestedAhead += demand
        if let coming { request(demand, from: coming) }
    }

    /// Replaces the current publisher with one that is about to be attached.
    @inlinable func replaceInner() -> Upstream {
        let next = Upstream()
        if takeTurn() {
            replaceInner(with: next)
            leave()
        } else {
            next.isRequested = true
            postpone { self.replaceInner(with: next) }
        }
        return next
    }

    @inlinable func replaceInner(with next: Upstream?) {
        next?.isRequested = false
        if isOver { return }
        if let previous = exchange(&inner, with: next) { cancel(previous) }
        guard let next, next === coming else { return }
        coming = nil
        // None of its values has been delivered, and what values hold that wait is for them, or obsolete by the switch.
        let rest = unspent
        if requestedAhead != .unlimited, rest > requestedAhead { request(rest - requestedAhead, from: next) }
    }

    /// Delivers the value of a publisher that publishes nothing else, in place of the current publisher's values.
    ///
    /// - Returns: Whether it needs no subscription. It does if the value has to wait.
    @inlinable func receive(only value: Output) -> Bool {
        if !enter() { return false }
        let isDone = isOver || take(only: value)
        leave()
        return isDone
    }

    @inlinable @inline(__always) func take(only value: Output) -> Bool {
        if let previous = inner {
            if outstanding.current == .none { return false }
            inner = nil
            cancel(previous)
            // Which may have cancelled the stream.
            if !outstanding.takeOne() { return true }
        } else if !outstanding.takeOne() {
            return false
        }
        _ = deliver(value)
        if outer.hasEnded || finishesWithInner, !isOver { finish(.finished) }
        return true
    }

    @inlinable package func connect(
        _ side: Upstream, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        // It may be attached and requested from before its turn, inside a delivery.
        guard accept(subscription, of: side, if: !isOver && (inner === side || side.isRequested)) else { return .none }
        // In its turn: what is held is for values that the switch has made obsolete.
        guard side.isRequested else { return unspent }
        (coming, requestedAhead) = (side, outstanding.current)
        return requestedAhead
    }

    /// Delivers a value of the most recent publisher.
    ///
    /// - Returns: The demand to return to that publisher.
    @inlinable @inline(__always) package func take(
        _ value: Output, from upstream: Upstream
    ) -> Subscribers.Demand {
        if isOver || upstream.hasEnded || !outstanding.takeOne() { return .none }
        let more = deliver(value)
        if more == .none || coming == nil { return more }
        requestAhead(more)
        return .none
    }

    /// Enqueues a value for the drain's owner, with a unit of demand that nobody else can be given meanwhile.
    ///
    /// - Returns: The demand to return to its publisher.
    @inlinable @inline(never) package func postpone(_ value: Output, from upstream: Upstream) -> Subscribers.Demand {
        let isHeld = held.withLock { held in
            if !outstanding.takeOne() { return false }
            held += 1
            return true
        }
        postpone {
            if isHeld {
                self.held.withLock { held in
                    held -= 1
                    self.outstanding.add(.max(1))
                }
            }
            self.request(self.take(value, from: upstream), from: upstream)
        }
        return .none
    }

    @inlinable package func end(_ upstream: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isOver { return }
        if end(upstream) { hasOneLess(completion) } else { Undeliverable.note(completion) }
    }

    @inlinable package func endOuter(_ completion: Subscribers.Completion<Failure>) { hasOneLess(completion) }

    @inlinable func hasOneLess(_ completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .failure: finish(completion)
        case .finished: if outer.hasEnded || finishesWithInner, inner?.hasEnded ?? true { finish(.finished) }
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        outer.traits.intersection(.sendsByItself)
    }

    @usableFromInline package override func releaseValues() { (inner, coming) = (nil, nil) }
}
