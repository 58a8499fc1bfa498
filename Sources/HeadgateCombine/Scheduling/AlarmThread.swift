import Dispatch
import HeadgateCore
import HeadgateEngine
import HeadgateThread

/// Hands the alarms of all dispatch queues to their queues, each at its moment.
///
/// One thread that sleeps until the earliest of them, and starts with the first. A timer of Dispatch for each costs several
/// times the memory and the time. What the alarms do is done by the queues.
final class AlarmThread: Sendable {
    static let shared = AlarmThread()

    private struct State {
        var alarms = AlarmHeap<QueueAlarm>()

        /// How many of them have been called off, or more.
        var calledOff = 0

        /// When the thread is going to look by itself; zero while it is awake.
        var wakesAt: UInt64 = 0

        var isRunning = false
    }

    /// How many alarms are handed over before the next look at the clock.
    private static let batch = 64

    private let state = Guarded(State())

    /// Wakes the thread up.
    // Whatever is behind it has a lock of its own, and it lives as long as the process.
    nonisolated(unsafe) private let bell = headgate_make_bell()

    func add(_ alarm: QueueAlarm, at date: UInt64) {
        let (isFirst, isEarlier) = state.withLock { state in
            state.alarms.insert(alarm, at: date)
            let isFirst = !exchange(&state.isRunning, with: true)
            let isEarlier = date < state.wakesAt
            if isEarlier { state.wakesAt = date }
            return (isFirst, isEarlier)
        }
        if isFirst {
            headgate_start_thread { AlarmThread.shared.run() }
        } else if isEarlier {
            headgate_ring(bell)
        }
    }

    /// Notes that an alarm is of no use any more, and lets go of all such when they are the greater part.
    func noteCallingOff() {
        // Let go of on return, outside the lock.
        _ = state.withLock { state -> [QueueAlarm] in
            state.calledOff += 1
            if state.calledOff < Self.batch || state.calledOff * 2 < state.alarms.count { return [] }
            state.calledOff = 0
            return state.alarms.removeAll { $0.isOver }
        }
    }

    private func run() {
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            let (due, date) = state.withLock { state in
                var due: [QueueAlarm] = []
                while due.count < Self.batch, let alarm = state.alarms.removeFirst(dueAt: now) { due.append(alarm) }
                state.wakesAt = due.isEmpty ? state.alarms.date ?? .max : 0
                return (due, state.wakesAt)
            }
            for alarm in due { alarm.submit() }
            if due.isEmpty { headgate_wait(bell, date == .max ? -1 : Int64(clamping: date - now)) }
        }
    }
}
