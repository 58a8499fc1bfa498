import Dispatch
import HeadgateCore

/// Alarms that are due on one queue at the same time, submitted as one job.
///
/// The job runs them one after another. Before it runs one, it makes sure that a second job is in the queue for the
/// rest: on a concurrent queue, work that blocks doesn't delay the others.
final class AlarmBatch: Sendable {
    private struct State {
        var alarms: [QueueAlarm]

        var next = 0

        /// Whether a second job is in the queue.
        var isHelped = false
    }

    let queue: DispatchQueue

    private let state: Guarded<State>

    init(_ alarm: QueueAlarm) {
        queue = alarm.queue
        state = Guarded(State(alarms: [alarm]))
    }

    func append(_ alarm: QueueAlarm) {
        state.withLock { $0.alarms.append(alarm) }
    }

    func submit() {
        queue.async { self.run() }
    }

    private func run() {
        while let (alarm, needsHelp) = next() {
            if needsHelp {
                queue.async {
                    self.state.withLock { $0.isHelped = false }
                    self.run()
                }
            }
            alarm.run()
        }
    }

    private func next() -> (QueueAlarm, needsHelp: Bool)? {
        state.withLock { state in
            if state.next == state.alarms.count { return nil }
            let alarm = state.alarms[state.next]
            state.next += 1
            let needsHelp = !state.isHelped && state.next < state.alarms.count
            if needsHelp { state.isHelped = true }
            return (alarm, needsHelp)
        }
    }
}
