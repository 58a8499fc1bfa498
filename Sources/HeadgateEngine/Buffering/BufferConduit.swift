import HeadgateCore

/// What a buffer does with a value for which it has no room.
@usableFromInline package enum OverflowRule<Failure: Error> {
    case dropNewest
    case dropOldest
    case fail(() -> Failure)
}

/// How much a buffer requests from upstream.
@usableFromInline package enum BufferDemand {
    case everything
    /// So many values, and as many as a step again whenever a step has been delivered.
    case ahead(Int, step: Int)
}

/// Keeps values for a subscriber that requests fewer than there are, for so long, and tells of each that it drops.
///
/// The end of upstream, whichever, waits until the values that are kept have been delivered or dropped.
@usableFromInline
package final class BufferConduit<Output, Failure: Error, Context: Scheduler>: WaitingConduit<Output, Failure>,
    Buffering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline typealias Time = Context.SchedulerTimeType

    @usableFromInline struct Kept {
        @usableFromInline let value: Output

        /// When it came, where that matters.
        @usableFromInline let arrival: Time?

        @inlinable init(_ value: Output, _ arrival: Time?) {
            self.value = value
            self.arrival = arrival
        }
    }

    @usableFromInline let size: Int

    @usableFromInline let first: Subscribers.Demand

    /// How many deliveries go to one request; zero where everything is requested at first.
    @usableFromInline let step: Int

    @usableFromInline let whenFull: OverflowRule<Failure>

    @usableFromInline let onDrop: ((Output) -> Void)?

    /// How long a value is kept.
    @usableFromInline let expiry: TimeSpan<Context>?

    // The next three are only touched by the drain's owner, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Kept>()

    /// How many values have been delivered since upstream was last requested some.
    @exclusivity(unchecked) @usableFromInline var delivered = 0

    @exclusivity(unchecked) @usableFromInline var isAlarmSet = false

    @inlinable package init(
        name: StaticString, size: Int, demand: BufferDemand, whenFull: OverflowRule<Failure>,
        expiry: TimeSpan<Context>? = nil,
        onDrop: ((Output) -> Void)? = nil, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.size = size
        switch demand {
        case .everything: (first, step) = (.unlimited, 0)
        case .ahead(let count, let step): (first, self.step) = (.max(count), step)
        }
        self.whenFull = whenFull
        self.expiry = expiry
        self.onDrop = onDrop
        super.init(name: name, downstream, handle: BufferConduit.serving)
    }

    @inlinable package var isEmpty: Bool { queue.isEmpty }

    @inlinable package func start() { requestOnce(first, from: upstream) }

    /// Delivers a value, or keeps it.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            return countDelivery()
        }
        keep(value)
        return .none
    }

    /// Counts a value that has been delivered.
    ///
    /// - Returns: What to request from upstream, now that it has.
    @inlinable @inline(__always) func countDelivery() -> Subscribers.Demand {
        if step == 0 { return .none }
        delivered += 1
        if delivered < step { return .none }
        delivered = 0
        return outstanding.isClosed ? .none : .max(step)
    }

    /// Keeps a value, or does what is to be done when there is no room.
    @inlinable func keep(_ value: Output) {
        let now = expiry?.now
        if let now { dropExpired(at: now) }
        if isOver { return }
        if queue.count >= size {
            switch whenFull {
            case .dropOldest where size > 0:
                if let oldest = queue.popFirst() { onDrop?(oldest.value) }
            case .dropNewest, .dropOldest:
                onDrop?(value)
                return
            case .fail(let makeError):
                upstream.cancel()
                ending = .failure(makeError())
                onDrop?(value)
                return finishIfDone()
            }
        }
        queue.append(Kept(value, now))
        setAlarm()
    }

    /// Delivers what is kept, as far as it is wanted.
    @inlinable package func serve() {
        if isOver { return }
        start()
        if let expiry, !queue.isEmpty { dropExpired(at: expiry.now) }
        var due = Subscribers.Demand.none
        while !queue.isEmpty, outstanding.takeOne(), let kept = queue.popFirst() {
            _ = deliver(kept.value)
            due += countDelivery()
        }
        if isOver { return }
        request(due, from: upstream.subscription)
        finishIfDone()
    }

    /// Drops what has been kept for too long.
    @inlinable func dropExpired(at moment: Time) {
        guard let expiry else { return }
        while let arrival = queue.first?.arrival,
            expiry.isOver(since: arrival, at: moment), let old = queue.popFirst()
        {
            onDrop?(old.value)
            if outstanding.isClosed { return }
        }
    }

    /// Sets an alarm for the moment at which the oldest value has been kept for too long.
    @inlinable func setAlarm() {
        guard !isAlarmSet, let expiry, let arrival = queue.first?.arrival else { return }
        isAlarmSet = true
        isAlarmSet = expiry.wakeAtEnd(since: arrival) { [weak self] date in
            guard let self else { return }
            attend { self.expire(atAlarmFor: date) }
        }
    }

    @inlinable func expire(atAlarmFor date: Time) {
        isAlarmSet = false
        if isOver { return }
        if let expiry { dropExpired(at: expiry.now(atAlarmFor: date)) }
        if isOver { return }
        setAlarm()
        finishIfDone()
    }

    @usableFromInline package override func releaseUpstreams() {
        queue = Queue()
        upstream.cancel()
    }
}
