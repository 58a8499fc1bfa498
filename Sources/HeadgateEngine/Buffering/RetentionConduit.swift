import HeadgateCore

/// Takes everything in, keeps so many values for a subscriber that requests fewer, for so long, and tells of each that it
/// drops.
///
/// The end of upstream, whichever, waits until the values that are kept have been delivered or dropped.
@usableFromInline
package final class RetentionConduit<Output, Failure: Error, Context: Scheduler>: JoiningConduit<Output, Failure> {
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

    /// How long a value is kept, and by which clock.
    @usableFromInline package struct Expiry {
        @usableFromInline let clock: AlarmClock<Context>

        @usableFromInline let interval: Context.SchedulerTimeType.Stride

        @inlinable package init(after interval: Context.SchedulerTimeType.Stride, on scheduler: Context) {
            clock = AlarmClock(scheduler)
            self.interval = interval
        }
    }

    @usableFromInline let limit: Int

    @usableFromInline let whenFull: OverflowRule<Failure>

    @usableFromInline let onDrop: ((Output) -> Void)?

    @usableFromInline let expiry: Expiry?

    @usableFromInline let upstream = Upstream()

    // The next three belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Kept>()

    @exclusivity(unchecked) @usableFromInline var isAlarmSet = false

    /// How the stream ends when nothing is kept any more.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable package init(
        name: StaticString, limit: Int, whenFull: OverflowRule<Failure>, expiry: Expiry?,
        onDrop: ((Output) -> Void)?, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.limit = limit
        self.whenFull = whenFull
        self.expiry = expiry
        self.onDrop = onDrop
        super.init(name: name, downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: RetentionConduit.self)
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
            publisher.receive(subscriber: RetentionInlet(self))
        } start: {
            self.start()
        }
    }

    @usableFromInline func start() {
        if upstream.isRequested || upstream.subscription == nil { return }
        upstream.isRequested = true
        request(.unlimited, from: upstream.subscription)
    }

    @inlinable @inline(__always) func take(_ value: Output) {
        if isOver || ending != nil { return }
        if queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
        } else {
            keep(value)
        }
    }

    @inlinable func keep(_ value: Output) {
        let now = expiry?.clock.now
        if let now { dropExpired(at: now) }
        if isOver { return }
        if queue.count >= limit {
            switch whenFull {
            case .dropNewest:
                onDrop?(value)
                return
            case .dropOldest:
                if let oldest = queue.popFirst() { onDrop?(oldest.value) }
            case .fail(let makeError):
                upstream.cancel()
                ending = .failure(makeError())
                onDrop?(value)
                finishIfDone()
                return
            }
        }
        queue.append(Kept(value, now))
        setAlarm()
    }

    /// Drops what has been kept for too long.
    @inlinable func dropExpired(at moment: Time) {
        guard let expiry else { return }
        while let arrival = queue.first?.arrival,
            expiry.clock.has(expiry.interval, passedSince: arrival, at: moment), let old = queue.popFirst()
        {
            onDrop?(old.value)
            if outstanding.isClosed { return }
        }
    }

    /// Sets an alarm for the moment at which the oldest value has been kept for too long.
    @inlinable func setAlarm() {
        guard !isAlarmSet, let expiry, let arrival = queue.first?.arrival else { return }
        isAlarmSet = true
        isAlarmSet = expiry.clock.wake(after: expiry.interval, from: arrival) { [weak self] date in
            guard let self else { return }
            attend { self.expire(atAlarmFor: date) }
        }
    }

    @inlinable func expire(atAlarmFor date: Time) {
        isAlarmSet = false
        if isOver { return }
        if let expiry { dropExpired(at: expiry.clock.now(atAlarmFor: date)) }
        if isOver { return }
        setAlarm()
        finishIfDone()
    }

    /// Delivers what is kept, as far as it is wanted.
    @inlinable func serve() {
        if isOver { return }
        start()
        if let expiry, !queue.isEmpty { dropExpired(at: expiry.clock.now) }
        while !queue.isEmpty, outstanding.takeOne(), let kept = queue.popFirst() { _ = deliver(kept.value) }
        if !isOver { finishIfDone() }
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
@usableFromInline struct RetentionInlet<Input, Failure: Error, Context: Scheduler>: Inlet {
    @usableFromInline let retention: RetentionConduit<Input, Failure, Context>

    @inlinable init(_ retention: RetentionConduit<Input, Failure, Context>) { self.retention = retention }

    @inlinable var conduit: DrainingConduit { retention }

    @inlinable var upstream: (any Subscription)? { retention.upstream.subscription }

    @inlinable func connect(to subscription: any Subscription) -> Subscribers.Demand {
        guard retention.upstream.connect(to: subscription, isWanted: !retention.isOver) else { return .none }
        if retention.phase != .connecting { retention.start() }
        return .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand {
        retention.take(input)
        return .none
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { retention.end(completion) }
}
