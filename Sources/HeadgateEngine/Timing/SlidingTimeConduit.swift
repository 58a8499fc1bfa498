import HeadgateCore

/// Delivers the values of the most recent span of time, at regular intervals.
@usableFromInline
package final class SlidingTimeConduit<Input, Failure: Error, Context: Scheduler>: JoiningConduit<[Input], Failure>,
    Buffering, Waking
{
    @usableFromInline package typealias Output = [Input]

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let span: Time.Stride

    @usableFromInline let interval: Time.Stride

    @usableFromInline let limit: Int

    @usableFromInline let scheduler: Context

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var values = Queue<(value: Input, arrival: Time)>()

    /// Whether a value has arrived since the last array.
    @exclusivity(unchecked) @usableFromInline var hasNews = false

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    @inlinable package init(
        span: Time.Stride, interval: Time.Stride, limit: Int, on scheduler: Context,
        _ downstream: AnySubscriber<[Input], Failure>
    ) {
        self.span = span.bounded
        self.interval = interval.bounded
        self.limit = limit
        self.scheduler = scheduler
        super.init(name: "Sliding", downstream, handle: SlidingTimeConduit.serving)
    }

    @inlinable package var isEmpty: Bool { !hasNews }

    @usableFromInline package func serve() {
        if isOver { return }
        request(firstDemand(of: .unlimited), from: upstream)
        finishIfDone()
    }

    @inlinable package func take(_ value: Input) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        if values.count == limit {
            _ = values.popFirst()
            counts?.drop()
        }
        let now = scheduler.now
        values.append((value, now))
        hasNews = true
        setAlarm(at: now.advanced(by: interval), on: scheduler)
        return .none
    }

    @inlinable package func wake(atAlarmFor date: Time) {
        if isOver || ending != nil { return }
        let moment = max(scheduler.now, date)
        dropOld(at: moment)
        // Without values, the next one sets it.
        if !values.isEmpty { setAlarm(at: date.advanced(by: interval), on: scheduler) }
        deliverWindow()
    }

    /// Drops what has arrived before the span that ends at a time.
    @inlinable func dropOld(at moment: Time) {
        while let first = values.first, first.arrival.advanced(by: span) <= moment { _ = values.popFirst() }
    }

    /// Delivers what has arrived within the span, if there is demand.
    @inlinable func deliverWindow() {
        if !outstanding.takeOne() { return }
        hasNews = false
        var window = ContiguousArray<Input>()
        for _ in 0..<values.count {
            guard let entry = values.popFirst() else { break }
            window.append(entry.value)
            values.append(entry)
        }
        _ = deliver(Array(window))
    }

    /// Delivers the last array, if values have arrived since the one before, and completes the stream.
    @inlinable package func finishIfDone() {
        guard let ending, !isOver else { return }
        if case .failure = ending { return finish(ending) }
        if hasNews {
            dropOld(at: scheduler.now)
            deliverWindow()
        }
        if !isOver, !hasNews { finish(ending) }
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
        values = Queue()
    }
}
