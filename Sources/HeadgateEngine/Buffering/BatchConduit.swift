import HeadgateCore

/// Collects values until there are enough of them, or the first has waited long enough, and delivers them together.
///
/// While a batch is requested, as many values are requested from upstream as it has room for. The completion of upstream, of either kind, waits until the last batch has been delivered.
@usableFromInline
package final class BatchConduit<Element, Failure: Error, Context: Scheduler>: JoiningConduit<[Element], Failure>,
    Buffering, Waking
{
    @usableFromInline package typealias Input = Element

    @usableFromInline package typealias Output = [Element]

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    /// The weight at which a batch is complete; a value weighs one by default.
    @usableFromInline let limit: Int

    @usableFromInline let weigh: ((Element) -> Int)?

    /// How long the first value may wait.
    @usableFromInline let haste: TimeSpan<Context>

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var batch: [Element] = []

    @exclusivity(unchecked) @usableFromInline var weight = 0

    /// When its first value arrived.
    @exclusivity(unchecked) @usableFromInline var beginning: Time?

    /// Whether it has waited long enough.
    @exclusivity(unchecked) @usableFromInline var isDue = false

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    /// How many values have been requested but not received.
    @exclusivity(unchecked) @usableFromInline var underWay = 0

    @inlinable package init(
        limit: Int, weigh: ((Element) -> Int)?, haste: TimeSpan<Context>,
        _ downstream: AnySubscriber<[Element], Failure>
    ) {
        self.limit = limit
        self.weigh = weigh
        self.haste = haste
        super.init(name: "Batch", downstream, handle: BatchConduit.serving)
    }

    @inlinable var isComplete: Bool { weight >= limit || isDue || ending != nil }

    /// Counts the values that the batch has room for and that have not been requested as requested.
    @inlinable @inline(__always) func takeRoom() -> Subscribers.Demand {
        if weight >= limit || upstream.subscription == nil || outstanding.current == .none { return .none }
        // The weight of a value is only known once it has arrived, so values are then requested one at a time.
        let room = weigh == nil ? limit - weight - underWay : 1 - underWay
        if room <= 0 { return .none }
        underWay += room
        return .max(room)
    }

    /// Receives a value, and delivers the batch if that completes it.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func take(_ value: Element) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        underWay = max(0, underWay - 1)
        if batch.isEmpty { begin() }
        batch.append(value)
        weight = weight.saturatingSum(weigh.map { max(1, $0(value)) } ?? 1)
        if isComplete {
            deliverBatch()
        } else if weigh == nil {
            return .none
        }
        return isOver ? .none : takeRoom()
    }

    @inlinable @inline(__always) func begin() {
        if weigh == nil { batch.reserveCapacity(min(limit, 64)) }
        beginning = haste.now
        setAlarm()
    }

    @inlinable func setAlarm() {
        if let beginning { setAlarm(for: haste, since: beginning) }
    }

    @inlinable package func wake(atAlarmFor date: Time) {
        guard !isOver, let beginning else { return }
        if !haste.isOver(since: beginning, at: haste.now(atAlarmFor: date)) { return setAlarm() }
        isDue = true
        deliverBatch()
        if !isOver { request(takeRoom(), from: upstream) }
    }

    /// Delivers the batch, if there is one and there is demand.
    @inlinable func deliverBatch() {
        if !batch.isEmpty {
            if !outstanding.takeOne() { return note(waiting: batch.count) }
            note(waiting: 0)
            weight = 0
            isDue = false
            beginning = nil
            _ = deliver(exchange(&batch, with: []))
        }
        if let ending, !isOver { finish(ending) }
    }

    @inlinable package func start() {
        request(takeRoom(), from: upstream)
    }

    @inlinable package func serve() {
        if isOver { return }
        if isComplete { deliverBatch() }
        if !isOver { request(takeRoom(), from: upstream) }
    }

    @inlinable package func finishIfDone() { deliverBatch() }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
        batch = []
    }
}

extension Int {
    /// The sum of two numbers that aren't negative, at most `.max`.
    @inlinable package func saturatingSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
