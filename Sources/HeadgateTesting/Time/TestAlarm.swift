import HeadgateCore
import HeadgateEngine

/// An alarm that leaves nothing in its scheduler once it is cancelled.
private final class TestAlarm: Alarm, Sendable {
    private struct State {
        var isOver = false

        /// Removes the work from the scheduler.
        var removal: AnyCancellable?
    }

    private let state = Guarded(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Records that the work runs, or that the alarm is cancelled.
    ///
    /// - Returns: What removes the work from the scheduler, unless it has run or been removed.
    func end() -> AnyCancellable? {
        state.withLock { state in
            state.isOver = true
            return state.removal.take()
        }
    }

    func cancel() { end()?.cancel() }

    func keep(_ removal: AnyCancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.removal = removal }
            return state.isOver
        }
        // It was cancelled before it was here.
        if isOver { removal.cancel() }
    }
}

extension TestScheduler: AlarmScheduler {
    @usableFromInline package func setAlarm(
        at date: TestTime, tolerance: TestTime.Stride, options: SchedulerOptions?, _ work: @escaping () -> Void
    ) -> any Alarm {
        let alarm = TestAlarm()
        let removal = insert(Unfinished(date: date, interval: nil, tolerance: tolerance, options: options)) {
            _ = alarm.end()
            work()
        }
        alarm.keep(removal)
        return alarm
    }
}
