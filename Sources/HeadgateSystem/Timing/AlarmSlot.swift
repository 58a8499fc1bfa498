/// One alarm at a time: the most recent that has been set.
///
/// An alarm may go off before the call that sets it has returned, and its work may set the next one already, which has to stay
/// then. What is displaced is cancelled.
package final class AlarmSlot: Sendable {
    private let state = Guarded((count: 0, alarm: AnyCancellable?.none))

    package init() {}

    /// Sets an alarm in place of the one before.
    package func set(_ makeAlarm: () -> AnyCancellable) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let alarm = makeAlarm()
        // Released, and so cancelled, outside the lock.
        let displaced = state.withLock { $0.count == number ? exchange(&$0.alarm, with: alarm) : alarm }
        withExtendedLifetime(displaced) {}
    }

    /// Cancels the alarm, and one that is being set.
    package func cancel() {
        let alarm = state.withLock { state in
            state.count += 1
            return state.alarm.take()
        }
        alarm?.cancel()
    }
}
