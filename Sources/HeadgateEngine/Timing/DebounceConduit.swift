import HeadgateCore

/// Delivers a value once no other has followed it for a time that depends on it.
@usableFromInline
package final class DebounceConduit<Output, Failure: Error, Context: Scheduler>: JoiningConduit<Output, Failure>,
    Buffering, Waking
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let scheduler: Context

    @usableFromInline let dueTime: (Output) -> Time.Stride

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    /// The most recent value, until it is due, and the date.
    @exclusivity(unchecked) @usableFromInline var waiting: (value: Output, due: Time)?

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    @inlinable package init(
        dueTime: @escaping (Output) -> Time.Stride, on scheduler: Context, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init(name: "Debounce", downstream, handle: DebounceConduit.serving)
    }

    @inlinable package var isEmpty: Bool { waiting == nil }

    @usableFromInline package func serve() {
        if isOver { return }
        request(firstDemand(of: .unlimited), from: upstream)
        finishIfDone()
    }

    /// Keeps a value until it is due, in place of the one before.
    @inlinable package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        let length = dueTime(value)
        if waiting != nil { counts?.drop() }
        if length <= .zero {
            waiting = nil
            deliverOrDrop(value)
            return .none
        }
        let due = scheduler.now.advanced(by: length.bounded)
        waiting = (value, due)
        note(waiting: 1)
        if let date = alarm.date, due < date { alarm.cancel() }
        setAlarm(at: due, on: scheduler)
        return .none
    }

    @inlinable package func wake(atAlarmFor date: Time) {
        guard !isOver, let (value, due) = waiting else { return }
        if due > max(scheduler.now, date) { return setAlarm(at: due, on: scheduler) }
        waiting = nil
        deliverOrDrop(value)
    }

    @inlinable func deliverOrDrop(_ value: Output) {
        note(waiting: 0)
        if outstanding.takeOne() { _ = deliver(value) } else { counts?.drop() }
    }

    /// Delivers the value that waits, which no other follows, and completes the stream.
    @inlinable package func finishIfDone() {
        guard let ending, !isOver else { return }
        if let (value, _) = waiting, outstanding.takeOne() {
            waiting = nil
            note(waiting: 0)
            _ = deliver(value)
        }
        if case .finished = ending, waiting != nil { return }
        if !isOver { finish(ending) }
    }

    @usableFromInline package override func releaseValues() {
        alarm.cancel()
        waiting = nil
    }
}
