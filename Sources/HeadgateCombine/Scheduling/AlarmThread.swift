import Dispatch
import HeadgateCore
import HeadgateEngine
import HeadgateThread

/// Submits the alarms of all dispatch queues to their queues, each at its due time.
///
/// One thread, started with the first alarm, sleeps until the earliest is due; the queues run the work. A Dispatch timer per
/// alarm would take more memory, and retain it after a cancellation until the due time.
final class AlarmThread: Sendable {
    static let shared = AlarmThread()

    private struct State {
        var alarms = AlarmHeap<UInt64, QueueAlarm>()

        /// An upper bound of how many of them have been cancelled.
        var cancelled = 0

        /// When the thread wakes up on its own; zero while it is awake.
        var wakesAt: UInt64 = 0

        var isRunning = false
    }

    /// How many alarms are submitted before the clock is read again.
    private static let batch = 64

    private let state = Guarded(State())

    /// Wakes the thread up.
    // It has its own lock, and lives as long as the process.
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

    /// Counts a cancelled alarm, and releases all cancelled ones once they are the majority.
    func noteCancellation() {
        // Released on return, outside the lock.
        _ = state.withLock { state -> [QueueAlarm] in
            state.cancelled += 1
            if state.cancelled < Self.batch || state.cancelled * 2 < state.alarms.count { return [] }
            state.cancelled = 0
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
