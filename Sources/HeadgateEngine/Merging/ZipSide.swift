import HeadgateCore

/// One of the two sides of a zip.
@usableFromInline package struct ZipSide<Value> {
    @usableFromInline package var upstream: (any Subscription)?

    /// What has come and waits for the other side.
    @usableFromInline package var queue = Queue<Value>()

    /// The demand for pairs that has not been passed on to this side.
    @usableFromInline package var credit = Subscribers.Demand.none

    /// Whether this side is to be asked for one value at a time.
    ///
    /// It loses nothing by that, and an endless one is read only as far as the other side goes. A side that publishes by itself is passed the whole demand.
    @usableFromInline package var isAskedOneByOne = false

    /// Whether this side is being asked, and hands its answer over on the spot, in the same thread.
    @usableFromInline package var isAnswering = false

    @usableFromInline package var hasEnded = false

    @inlinable package init() {}

    /// Whether there will be no more pairs because of this side.
    @inlinable package var isExhausted: Bool { hasEnded && queue.isEmpty }

    /// Takes the subscription in.
    @inlinable package mutating func connect(to subscription: any Subscription) {
        upstream = subscription
        isAskedOneByOne = subscription.answersDemandAtOnce
    }

    /// Takes off what can be asked for now.
    @inlinable package mutating func demand() -> Subscribers.Demand? {
        if credit == .none || hasEnded { return nil }
        if isAskedOneByOne {
            if !queue.isEmpty { return nil }
            isAnswering = true
            credit -= 1
            return .max(1)
        }
        let demand = credit
        credit = .none
        return demand
    }

    /// Drops what waits, and lets go of upstream.
    @inlinable package mutating func release() {
        upstream = nil
        queue = Queue()
    }
}
