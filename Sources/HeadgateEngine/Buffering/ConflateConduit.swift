import HeadgateCore

/// Folds the values that arrive without demand into one.
///
/// Without a limit, unlimited values are requested from upstream. With one, at most that many are requested ahead.
@usableFromInline
package final class ConflateConduit<Input, Output, Failure: Error>: JoiningConduit<Output, Failure>,
    Buffering
{
    /// How many values may be folded into one.
    @usableFromInline let limit: Subscribers.Demand

    /// Whether a value that is folded into another one is dropped.
    @usableFromInline let drops: Bool

    @usableFromInline let begin: (Input) -> Output

    @usableFromInline let fold: (inout Output, Input) -> Void

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    /// The folded value, which waits for demand.
    @exclusivity(unchecked) @usableFromInline var waiting: Output?

    /// How many values have been folded into it.
    @exclusivity(unchecked) @usableFromInline var count = 0

    @inlinable package init(
        name: StaticString, limit: Subscribers.Demand, drops: Bool, _ downstream: AnySubscriber<Output, Failure>,
        begin: @escaping (Input) -> Output, fold: @escaping (inout Output, Input) -> Void
    ) {
        self.limit = limit
        self.drops = drops
        self.begin = begin
        self.fold = fold
        super.init(name: name, downstream, handle: ConflateConduit.serving)
    }

    @inlinable package var isEmpty: Bool { waiting == nil }

    @inlinable package func connect(_ side: Upstream, to subscription: ConduitSubscription) -> Subscribers.Demand {
        accept(subscription, of: side, if: isWanted) ? firstDemand(of: limit) : .none
    }

    /// Delivers a value by itself, or folds it into the waiting one.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
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
            if drops { counts?.drop() }
        }
        count += 1
        note(waiting: drops ? 1 : count)
        return .none
    }

    /// Delivers the waiting value if there is demand.
    @inlinable package func serve() {
        if isOver { return }
        request(firstDemand(of: limit), from: upstream)
        guard waiting != nil, outstanding.takeOne(), let value = waiting.take() else { return }
        let room = exchange(&count, with: 0)
        note(waiting: 0)
        _ = deliver(value)
        if isOver { return }
        if limit != .unlimited { request(.max(room), from: upstream) }
        finishIfDone()
    }

    // What is read ahead of an upstream that waits, waits here.
    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection(limit == .unlimited ? .startsOnDemand : .waitsForDemand)
    }

    @usableFromInline package override func releaseValues() {
        waiting = nil
    }
}
