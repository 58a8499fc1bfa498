import Dispatch

/// Alarms that are due on one queue at the same time, submitted as one job.
///
/// The job runs them one after another. Before it runs one, it makes sure that a second job is in the queue for the
/// rest: on a concurrent queue, work that blocks doesn't delay the others.
final class AlarmBatch: Sendable {
    private struct State {
        /// The alarms to be run, the next one last.
        var alarms: [QueueAlarm]

        /// Whether a second job is in the queue.
        var isHelped = false
    }

    let queue: DispatchQueue

    private let state: Guarded<State>

    init(_ alarms: [QueueAlarm], on queue: DispatchQueue) {
        self.queue = queue
        state = Guarded(State(alarms: alarms.reversed()))
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
            guard let alarm = state.alarms.popLast() else { return nil }
            let needsHelp = !state.isHelped && !state.alarms.isEmpty
            if needsHelp { state.isHelped = true }
            return (alarm, needsHelp)
        }
    }
}
