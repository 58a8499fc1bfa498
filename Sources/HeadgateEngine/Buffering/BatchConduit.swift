import HeadgateCore

/// Collects values until there are enough of them, or the first has waited for long enough, and delivers them together.
///
/// Upstream is requested no more than what the batch has room for, so that a batch nobody requests holds it back. The end
/// of upstream, whichever, waits until the last batch has been delivered.
@usableFromInline
package final class BatchConduit<Element, Failure: Error, Context: Scheduler>: JoiningConduit<[Element], Failure> {
    @usableFromInline typealias Time = Context.SchedulerTimeType

    /// How long the first value may wait, and by which clock.
    @usableFromInline package struct Haste {
        @usableFromInline let clock: AlarmClock<Context>

        @usableFromInline let interval: Context.SchedulerTimeType.Stride

        @inlinable package init(within interval: Context.SchedulerTimeType.Stride, on scheduler: Context) {
            clock = AlarmClock(scheduler)
            self.interval = interval
        }
    }

    /// The weight, one a value where nothing else is said, at which a batch is complete.
    @usableFromInline let limit: Int

    @usableFromInline let weigh: ((Element) -> Int)?

    @usableFromInline let haste: Haste?

    @usableFromInline let upstream = Upstream()

    // The members below belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var batch: [Element] = []

    @exclusivity(unchecked) @usableFromInline var weight = 0

    /// When its first value came.
    @exclusivity(unchecked) @usableFromInline var beginning: Time?

    /// Whether it has waited for long enough.
    @exclusivity(unchecked) @usableFromInline var isDue = false

    @exclusivity(unchecked) @usableFromInline var isAlarmSet = false

    /// How many values have been requested and have not come.
    @exclusivity(unchecked) @usableFromInline var underWay = 0

    /// How the stream ends after the last batch.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable package init(
        limit: Int, weigh: ((Element) -> Int)?, haste: Haste?, _ downstream: AnySubscriber<[Element], Failure>
    ) {
        self.limit = limit
        self.weigh = weigh
        self.haste = haste
        super.init(name: "Batch", downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: BatchConduit.self)
            switch signal {
            case .request(let demand):
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.attend { conduit.serve() } }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.attend { conduit.release() } }
            }
        }
    }

    /// Connects a subscriber to the batches of a publisher.
    @inlinable package func connect(
        _ publisher: some Publisher<Element, Failure>, to subscriber: some Subscriber<[Element], Failure>
    ) {
        connect(subscriber) { publisher.receive(subscriber: BatchInlet(self)) }
    }

    @inlinable var isComplete: Bool { weight >= limit || isDue || ending != nil }

    /// Counts how many values the batch has room for that have not been requested, as requested.
    @inlinable @inline(__always) func takeRoom() -> Subscribers.Demand {
        if weight >= limit || upstream.subscription == nil || outstanding.isClosed { return .none }
        // What a value weighs is only known when it is there, so then there is one at a time.
        let room = weigh == nil ? limit - weight - underWay : 1 - underWay
        if room <= 0 { return .none }
        underWay += room
        return .max(room)
    }

    /// Takes a value in, and delivers the batch if it is complete with it.
    ///
    /// - Returns: What to request from upstream.
    @inlinable @inline(__always) func take(_ value: Element) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        underWay = max(0, underWay - 1)
        if batch.isEmpty { begin() }
        batch.append(value)
        weight += weigh.map { max(1, $0(value)) } ?? 1
        if isComplete {
            deliverBatch()
        } else if weigh == nil {
            return .none
        }
        return isOver ? .none : takeRoom()
    }

    @inlinable @inline(__always) func begin() {
        if weigh == nil { batch.reserveCapacity(min(limit, 64)) }
        guard let haste else { return }
        beginning = haste.clock.now
        setAlarm()
    }

    @inlinable func setAlarm() {
        guard !isAlarmSet, let haste, let beginning else { return }
        isAlarmSet = true
        isAlarmSet = haste.clock.wake(after: haste.interval, from: beginning) { [weak self] date in
            guard let self else { return }
            attend { self.wake(atAlarmFor: date) }
        }
    }

    @inlinable func wake(atAlarmFor date: Time) {
        isAlarmSet = false
        guard !isOver, let haste, let beginning else { return }
        if haste.clock.has(haste.interval, passedSince: beginning, at: haste.clock.now(atAlarmFor: date)) {
            isDue = true
            deliverBatch()
            if !isOver { request(takeRoom(), from: upstream.subscription) }
        } else {
            setAlarm()
        }
    }

    /// Delivers the batch, if there is one and it is wanted.
    @inlinable func deliverBatch() {
        if !batch.isEmpty {
            if !outstanding.takeOne() { return }
            weight = 0
            isDue = false
            beginning = nil
            _ = deliver(exchange(&batch, with: []))
        }
        if let ending, !isOver { finish(ending) }
    }

    @inlinable func serve() {
        if isOver { return }
        if isComplete { deliverBatch() }
        if !isOver { request(takeRoom(), from: upstream.subscription) }
    }

    @usableFromInline func end(_ completion: Subscribers.Completion<Failure>) {
        if isOver || !upstream.end() { return }
        ending = completion
        deliverBatch()
    }

    @usableFromInline package override func releaseUpstreams() {
        batch = []
        upstream.cancel()
    }
}

/// What subscribes to the publisher whose values are collected.
@usableFromInline struct BatchInlet<Input, Failure: Error, Context: Scheduler>: Inlet {
    @usableFromInline let batching: BatchConduit<Input, Failure, Context>

    @inlinable init(_ batching: BatchConduit<Input, Failure, Context>) { self.batching = batching }

    @inlinable var conduit: DrainingConduit { batching }

    @inlinable var upstream: (any Subscription)? { batching.upstream.subscription }

    @inlinable func connect(to subscription: any Subscription) -> Subscribers.Demand {
        guard batching.upstream.connect(to: subscription, isWanted: !batching.isOver) else { return .none }
        return batching.outstanding.current > .none ? batching.takeRoom() : .none
    }

    @inlinable func take(_ input: Input) -> Subscribers.Demand { batching.take(input) }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) { batching.end(completion) }
}
