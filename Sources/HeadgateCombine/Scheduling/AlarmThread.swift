import Dispatch
import HeadgateEngine
import HeadgateThread

/// Submits the alarms of all dispatch queues to their queues, each at its due time.
///
/// One thread, started with the first alarm, sleeps until the earliest is due; the queues run the work. What is due on
/// one queue at one time is one job. A Dispatch timer per alarm would take more memory, and retain it after a
/// cancellation until the due time.
final class AlarmThread: Sendable {
    static let shared = AlarmThread()

    fileprivate struct State {
        // Retained here by hand: the heap moves its items a lot, and would retain and release them each time.
        var alarms = AlarmHeap<UInt64, Unmanaged<QueueAlarm>>()

        /// An upper bound of how many of them have been cancelled.
        var cancelled = 0

        /// When the thread wakes up on its own; zero while it is awake.
        var wakesAt: UInt64 = 0

        var isRunning = false
    }

    /// How many alarms are submitted before the clock is read again.
    fileprivate static let batch = 64

    private let state = Guarded(State())

    /// Wakes the thread up.
    // It has its own lock, and lives as long as the process.
    nonisolated(unsafe) private let bell = headgate_make_bell()

    func add(_ alarm: QueueAlarm, at date: UInt64) {
        let (isFirst, isEarlier) = state.withLock { state in
            state.alarms.insert(.passRetained(alarm), at: date)
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
        let removed = state.withLock { state -> [Unmanaged<QueueAlarm>] in
            state.cancelled += 1
            if state.cancelled < Self.batch || state.cancelled * 2 < state.alarms.count { return [] }
            state.cancelled = 0
            return state.alarms.removeAll { $0._withUnsafeGuaranteedRef { $0.isOver } }
        }
        // Outside the lock.
        for alarm in removed { alarm.release() }
    }

    private func run() {
        while true {
            let now = DispatchTime.now().uptimeNanoseconds
            // Cancelled ones are released here, outside the lock.
            let (due, date, _) = state.withLock { state in
                let (due, others) = state.takeDue(at: now)
                let isDone = due.isEmpty && others.isEmpty
                state.wakesAt = isDone ? state.alarms.date ?? .max : 0
                return (due, state.wakesAt, others)
            }
            if date > 0 {
                headgate_wait(bell, date == .max ? -1 : Int64(clamping: date - now))
            } else {
                submit(due)
            }
        }
    }

    /// Submits alarms to their queues, in order for each queue.
    private func submit(_ due: [QueueAlarm]) {
        var batches: [(queue: DispatchQueue, alarms: [QueueAlarm])] = []
        for alarm in due {
            let place = batches.lastIndex { $0.queue === alarm.queue }
            if let details = alarm.details {
                // Options belong to one job.
                if let place { submit(batches.remove(at: place)) }
                let options = details.options
                alarm.queue.async(group: nil, qos: options.qos, flags: options.flags) { alarm.run() }
            } else if let place {
                batches[place].alarms.append(alarm)
            } else {
                batches.append((alarm.queue, [alarm]))
            }
        }
        for batch in batches { submit(batch) }
    }

    private func submit(_ batch: (queue: DispatchQueue, alarms: [QueueAlarm])) {
        AlarmBatch(batch.alarms, on: batch.queue).submit()
    }
}

extension AlarmThread.State {
    /// Removes a number of due alarms, and sets those again that repeat.
    ///
    /// - Returns: Those to submit, and the others.
    fileprivate mutating func takeDue(at moment: UInt64) -> (due: [QueueAlarm], others: [QueueAlarm]) {
        var due: [QueueAlarm] = []
        var others: [QueueAlarm] = []
        while due.count + others.count < AlarmThread.batch, let (alarm, date) = alarms.first, date <= moment {
            let (isWanted, next) = alarm._withUnsafeGuaranteedRef { $0.takeDue(at: moment) }
            alarms.moveFirst(to: next)
            let isSetAgain = next != nil
            let taken = isSetAgain ? alarm.takeUnretainedValue() : alarm.takeRetainedValue()
            if isWanted { due.append(taken) } else { others.append(taken) }
        }
        return (due, others)
    }
}
