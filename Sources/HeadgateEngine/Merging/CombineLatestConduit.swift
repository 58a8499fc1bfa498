import HeadgateCore
import Synchronization

/// Combines the latest values of two upstreams.
///
/// Demand is passed on to both, so either may bring the next combination. A side that has used up demand before there was
/// a first combination is asked again for what that lacked, so short demand never leaves the stream without a way on.
@usableFromInline package final class CombineLatestConduit<First, Second, Failure: Error>: ConduitSubscription {
    @usableFromInline package enum Event {
        case firstSubscription(any Subscription)
        case secondSubscription(any Subscription)
        case first(First)
        case second(Second)
        case firstEnd(Subscribers.Completion<Failure>)
        case secondEnd(Subscribers.Completion<Failure>)
        case request(Subscribers.Demand)
        case cancel
    }

    @usableFromInline package let drain = AskingDrain<Event>()

    /// Closed by `cancel()` at once, and at the end.
    @usableFromInline package let isClosed = Atomic(false)

    // The members below belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var first = CombineSide<First>()

    @exclusivity(unchecked) @usableFromInline package var second = CombineSide<Second>()

    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<(First, Second), Failure>

    /// What was asked for and has not been delivered.
    @exclusivity(unchecked) @usableFromInline package var wanted = Subscribers.Demand.none

    /// Whether the latest combination came while none was asked for.
    @exclusivity(unchecked) @usableFromInline package var isWaiting = false

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    @inlinable package init(_ downstream: AnySubscriber<(First, Second), Failure>) {
        self.downstream = Downstream(downstream)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: CombineLatestConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none, !conduit.isClosed.load(ordering: .relaxed) { conduit.perform(.request(demand)) }
            case .cancel:
                if !conduit.isClosed.exchange(true, ordering: .acquiringAndReleasing) { conduit.perform(.cancel) }
            }
        }
    }

    /// Connects a subscriber to the combinations of two publishers.
    @inlinable package static func connect<A: Publisher, B: Publisher, S: Subscriber>(_ a: A, _ b: B, to subscriber: S)
    where
        A.Output == First, B.Output == Second, S.Input == (First, Second),
        A.Failure == Failure, B.Failure == Failure, S.Failure == Failure
    {
        let conduit = CombineLatestConduit(AnySubscriber(subscriber))
        subscriber.receive(subscription: conduit)
        if !conduit.isClosed.load(ordering: .relaxed) {
            a.receive(subscriber: FirstCombineSubscriber(conduit: conduit))
        }
        if !conduit.isClosed.load(ordering: .relaxed) {
            b.receive(subscriber: SecondCombineSubscriber(conduit: conduit))
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
        case .firstSubscription(let subscription):
            if first.connect(to: subscription, isWanted: !hasEnded) { askFirst(wanted) }
        case .secondSubscription(let subscription):
            if second.connect(to: subscription, isWanted: !hasEnded) { askSecond(wanted) }
        case .first(let value): askFirst(receive(first: value))
        case .second(let value): askSecond(receive(second: value))
        case .firstEnd(let completion):
            if first.end() { end(completion) }
        case .secondEnd(let completion):
            if second.end() { end(completion) }
        case .request(let demand): want(demand)
        case .cancel: _ = release()
        }
    }

    /// Takes in a value of the first side.
    ///
    /// - Returns: What to ask that side for.
    @inlinable @inline(__always) package func receive(first value: First) -> Subscribers.Demand {
        if hasEnded || first.hasEnded { return .none }
        first.latest = value
        guard let other = second.latest else {
            first.early += 1
            return .none
        }
        if second.early > 0 { askSecond(second.makeUp()) }
        let more = combine(value, other)
        if more > .none { askSecond(more) }
        return more
    }

    /// Takes in a value of the second side.
    ///
    /// - Returns: What to ask that side for.
    @inlinable @inline(__always) package func receive(second value: Second) -> Subscribers.Demand {
        if hasEnded || second.hasEnded { return .none }
        second.latest = value
        guard let other = first.latest else {
            second.early += 1
            return .none
        }
        if first.early > 0 { askFirst(first.makeUp()) }
        let more = combine(other, value)
        if more > .none { askFirst(more) }
        return more
    }

    /// Delivers a combination, or lets it wait until a later one takes its place.
    ///
    /// - Returns: What the subscriber answers.
    @inlinable @inline(__always) package func combine(_ left: First, _ right: Second) -> Subscribers.Demand {
        if isClosed.load(ordering: .relaxed) { return .none }
        if wanted == .none {
            isWaiting = true
            return .none
        }
        wanted -= 1
        let more = downstream.receive((left, right))
        wanted += more
        return more
    }

    @inlinable package func want(_ demand: Subscribers.Demand) {
        if hasEnded { return }
        var demand = demand
        wanted += demand
        if isWaiting, let left = first.latest, let right = second.latest {
            isWaiting = false
            demand -= 1
            demand += combine(left, right)
            finishIfDone()
        }
        askFirst(demand)
        askSecond(demand)
    }

    @inlinable package func askFirst(_ demand: Subscribers.Demand) {
        if demand > .none, let upstream = first.upstream { drain.ask(upstream, for: demand) }
    }

    @inlinable package func askSecond(_ demand: Subscribers.Demand) {
        if demand > .none, let upstream = second.upstream { drain.ask(upstream, for: demand) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if case .finished = completion { finishIfDone() } else { finish(completion) }
    }

    @inlinable package func finishIfDone() {
        if first.hasEnded, second.hasEnded, !isWaiting { finish(.finished) }
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
        first.release()
        second.release()
        return downstream.release()
    }

    @usableFromInline package override var description: String { "CombineLatest" }
}
