import Dispatch
import Foundation
import HeadgateCore

/// The one timer that all operation queues have for what is scheduled on them once.
///
/// It takes nothing but what is due: were there a timer for each piece of work, one that goes off late would take what
/// belongs to a later one.
// Everything that threads share is behind the lock. Work goes to its queue's threads; that it may is for whoever schedules
// it to know.
final class OperationAlarm: @unchecked Sendable {
    static let shared = OperationAlarm()

    private let lineup = Guarded(Lineup())
    private let timer: any DispatchSourceTimer

    private init() {
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "Headgate.OperationQueue", qos: .userInitiated))
        timer.setEventHandler { [unowned self] in ring() }
        timer.activate()
    }

    /// Does work at a moment.
    func insert(_ date: Date, _ action: @escaping () -> Void) {
        lineup.withLock { lineup in
            if lineup.insert(date, action) { set(for: date) }
        }
    }

    /// Sets the timer; under the lock, for the last date that is set counts.
    private func set(for date: Date) {
        let seconds = SteadyClock.shared.time(until: date)
        timer.schedule(deadline: .now() + seconds, leeway: .nanoseconds(0))
    }

    private func ring() {
        let due: [() -> Void] = lineup.withLock { lineup in
            let due = lineup.takeDue(at: SteadyClock.shared.now)
            if let next = lineup.first { set(for: next) }
            return due
        }
        for action in due { action() }
    }
}
