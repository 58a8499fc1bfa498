import Foundation
import HeadgateEngine

/// The timer shared by all operation queues for work that is scheduled once.
///
/// It takes only work that is due: with one timer per entry, a late timer would run the work of a later one.
// A lock guards the shared state. Work runs on its queue's threads: the caller that schedules it has vouched for that.
final class OperationAlarm: @unchecked Sendable {
    static let shared = OperationAlarm()

    private let waiting = Guarded(AlarmHeap<Date, () -> Void>())
    private let timer: any DispatchSourceTimer

    private init() {
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "Headgate.OperationQueue", qos: .userInitiated))
        timer.setEventHandler { [unowned self] in fire() }
        timer.activate()
    }

    /// Runs work at a moment.
    func insert(_ date: Date, _ action: @escaping () -> Void) {
        waiting.withLock { waiting in
            if waiting.insert(action, at: date) { set(for: date) }
        }
    }

    /// Sets the timer; under the lock, because the last call wins.
    private func set(for date: Date) {
        let seconds = SteadyClock.shared.time(until: date)
        timer.schedule(deadline: .now() + seconds, leeway: .nanoseconds(0))
    }

    private func fire() {
        let due: [() -> Void] = waiting.withLock { waiting in
            let due = waiting.removeAll(dueAt: SteadyClock.shared.now)
            if let next = waiting.date { set(for: next) }
            return due
        }
        for action in due { action() }
    }
}
