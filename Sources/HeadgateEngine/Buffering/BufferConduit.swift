import HeadgateCore

/// What a conduit does with a value for which it has no room.
@usableFromInline package enum OverflowRule<Failure: Error> {
    /// The value is dropped.
    case drop
    /// The oldest of what is there makes room, which is dropped, or ended.
    case makeRoom
    /// The stream fails.
    case fail(() -> Failure)
}

/// Keeps values that arrive without demand, for a limited time, and reports each one that it drops.
///
/// The completion of upstream, of either kind, waits until the values kept have been delivered or dropped.
@usableFromInline
package final class BufferConduit<Output, Failure: Error, Context: Scheduler>: JoiningConduit<Output, Failure>,
    Buffering, Waking
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline struct Kept {
        @usableFromInline let value: Output

        /// When it arrived, if that matters.
        @usableFromInline let arrival: Time?

        @inlinable init(_ value: Output, _ arrival: Time?) {
            self.value = value
            self.arrival = arrival
        }
    }

    @usableFromInline let size: Int

    @usableFromInline let first: Subscribers.Demand

    /// The demand that one request is for; none if unlimited values are requested at the beginning.
    @usableFromInline let step: Subscribers.Demand

    @usableFromInline let whenFull: OverflowRule<Failure>

    @usableFromInline let onDrop: ((Output) -> Void)?

    /// How long a value is kept.
    @usableFromInline let expiry: TimeSpan<Context>?

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var queue = Queue<Kept>()

    /// How many values are to be delivered until the next request to upstream; below zero if there is none.
    @exclusivity(unchecked) @usableFromInline var untilRequest: Int

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    /// Creates the conduit.
    ///
    /// - Parameters:
    ///   - first: What is requested from upstream at the beginning.
    ///   - step: What is requested each time so many values have been delivered; none if that is never necessary.
    // Not inlined: it stands once in a client's code, and not once per operator of a chain.
    @inlinable @inline(never) package init(
        name: StaticString, size: Int, requesting first: Subscribers.Demand, step: Subscribers.Demand = .none,
        whenFull: OverflowRule<Failure>, expiry: TimeSpan<Context>? = nil,
        onDrop: ((Output) -> Void)? = nil, _ subscriber: some Subscriber<Output, Failure>
    ) {
        self.size = size
        self.first = first
        self.step = step
        untilRequest = Int(clamping: step.rawValue)
        self.whenFull = whenFull
        self.expiry = expiry
        self.onDrop = onDrop
        super.init(name: name, AnySubscriber(subscriber), handle: BufferConduit.serving)
    }

    @inlinable package var isEmpty: Bool { queue.isEmpty }

    @inlinable package func connect(_ side: Upstream, to subscription: ConduitSubscription) -> Subscribers.Demand {
        accept(subscription, of: side, if: isWanted)
            ? firstDemand(of: first, readsAhead: first != .unlimited) : .none
    }

    /// Delivers a value, or keeps it.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        // If the stream is over, there is no demand.
        if queue.isEmpty, !upstream.hasEnded, outstanding.takeOne() {
            _ = deliver(value)
            return countDelivery()
        }
        if isOver || ending != nil { return .none }
        keep(value)
        return .none
    }

    /// Counts a delivered value.
    ///
    /// - Returns: The demand to request from upstream, now that it has been delivered.
    @inlinable @inline(__always) func countDelivery() -> Subscribers.Demand {
        untilRequest -= 1
        if untilRequest != 0 { return .none }
        untilRequest = Int(clamping: step.rawValue)
        return outstanding.isClosed ? .none : step
    }

    /// Keeps a value, or applies the overflow rule if there is no room.
    @inlinable func keep(_ value: Output) {
        let now = expiry?.now
        if let now { dropExpired(at: now) }
        if isOver { return }
        if queue.count >= size {
            switch whenFull {
            case .makeRoom where size > 0:
                if let oldest = queue.popFirst() { drop(oldest.value) }
            case .drop, .makeRoom:
                drop(value)
                return
            case .fail(let makeError):
                cancel(upstream)
                ending = .failure(makeError())
                drop(value)
                return finishIfDone()
            }
        }
        queue.append(Kept(value, now))
        note(waiting: queue.count)
        setAlarm()
    }

    /// Counts and reports a value that is dropped.
    @inlinable func drop(_ value: Output) {
        note(waiting: queue.count)
        counts?.drop()
        onDrop?(value)
    }

    /// Delivers the values kept, as far as there is demand.
    @inlinable package func serve() {
        if isOver { return }
        request(firstDemand(of: first, readsAhead: first != .unlimited), from: upstream)
        if let expiry, !queue.isEmpty { dropExpired(at: expiry.now) }
        var due = Subscribers.Demand.none
        while !queue.isEmpty, outstanding.takeOne(), let kept = queue.popFirst() {
            note(waiting: queue.count)
            _ = deliver(kept.value)
            due += countDelivery()
        }
        if isOver { return }
        request(due, from: upstream)
        finishIfDone()
    }

    /// Drops the values that have been kept for too long.
    @inlinable func dropExpired(at moment: Time) {
        guard let expiry else { return }
        while let arrival = queue.first?.arrival,
            expiry.isOver(since: arrival, at: moment), let old = queue.popFirst()
        {
            drop(old.value)
            if outstanding.isClosed { return }
        }
    }

    /// Sets an alarm for when the oldest value will have been kept for too long.
    @inlinable func setAlarm() {
        if let expiry, let arrival = queue.first?.arrival { setAlarm(for: expiry, since: arrival) }
    }

    @inlinable package func wake(atAlarmFor date: Time) {
        if isOver { return }
        if let expiry { dropExpired(at: expiry.now(atAlarmFor: date)) }
        if isOver { return }
        setAlarm()
        finishIfDone()
    }

    // What is read ahead of an upstream that waits, waits here.
    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection(first == .unlimited ? .startsOnDemand : .waitsForDemand)
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
        queue = Queue()
    }
}
