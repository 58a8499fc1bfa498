import Foundation
import HeadgateEngine

/// The timer of a run loop for all work that is scheduled once.
///
/// Foundation's timers on Linux are never freed, hence one for all, whose date is changed. It stays in the main run
/// loop for good; it leaves any other run loop a second after the last work, so that a loop that runs until it has
/// nothing to wait for returns.
// A lock guards the shared state. Work runs on the run loop's thread: the caller that schedules it has vouched for that.
final class RunLoopAlarm: @unchecked Sendable {
    private struct State {
        var waiting = AlarmHeap<Date, () -> Void>()
        var timer: Timer?
        /// Whether the timer is set to fire at once.
        var isWaking = false
    }

    private let state = Guarded(State())

    /// Wakes the run loop, if it sleeps.
    func wake(_ loop: RunLoop) {
        state.withLock { state in
            if state.isWaking { return }
            state.isWaking = true
            set(&state, after: 0, on: loop)
        }
    }

    /// Runs work on the run loop at a moment.
    func insert(_ date: Date, on loop: RunLoop, _ action: @escaping () -> Void) {
        state.withLock { state in
            if state.waiting.insert(action, at: date), !state.isWaking {
                set(&state, after: SteadyClock.shared.time(until: date), on: loop)
            }
        }
    }

    /// Sets the timer; under the lock, because the last call wins, and no timer fires inside these calls.
    private func set(_ state: inout State, after seconds: TimeInterval, on loop: RunLoop) {
        // A timer that is changed while it fires has to get a later date than the one it fires for.
        let date = Date(timeIntervalSinceNow: seconds + 1e-6)
        if let timer = state.timer {
            timer.fireDate = date
        } else {
            let timer = Timer(fire: date, interval: Self.never, repeats: true) { [self] in fire($0) }
            state.timer = timer
            loop.add(timer, forMode: .default)
        }
    }

    /// Only a repeating timer can be changed; this interval never elapses.
    private static let never: TimeInterval = 1e9

    private static let idleTime: TimeInterval = 1

    /// Makes the run loop run the work that is due, and sets the timer for the rest.
    private func fire(_ timer: Timer) {
        let loop = RunLoop.current
        let (due, isLeaving): ([() -> Void], Bool) = state.withLock { state in
            let wasAwaited = state.isWaking || state.waiting.date != nil
            state.isWaking = false
            let due = state.waiting.removeAll(dueAt: SteadyClock.shared.now)
            if let next = state.waiting.date {
                set(&state, after: SteadyClock.shared.time(until: next), on: loop)
            } else if loop !== RunLoop.main {
                if !wasAwaited {
                    state.timer = nil
                    return (due, true)
                }
                set(&state, after: Self.idleTime, on: loop)
            }
            return (due, false)
        }
        if isLeaving { timer.invalidate() }
        // Not from here: work may run the run loop itself, and a timer does not fire while it is firing.
        for action in due {
            nonisolated(unsafe) let action = action
            loop.perform(inModes: [.default]) { action() }
        }
    }
}

extension RunLoopAlarm {
    private struct Slot {
        let alarm: RunLoopAlarm
        weak var loop: RunLoop?
    }

    // A slot stays when its loop is deallocated: there are at most as many as addresses at which run loops have lived.
    private static let slots = Guarded<[ObjectIdentifier: Slot]>([:])

    /// The alarm of a run loop.
    static func of(_ loop: RunLoop) -> RunLoopAlarm {
        let key = ObjectIdentifier(loop)
        let (alarm, _): (RunLoopAlarm, Slot?) = slots.withLock { slots in
            let old = slots[key]
            // Another loop may have lived at the same address.
            if let old, old.loop === loop { return (old.alarm, nil) }
            let alarm = RunLoopAlarm()
            slots[key] = Slot(alarm: alarm, loop: loop)
            // Work that waited for a deallocated loop is released outside the lock.
            return (alarm, old)
        }
        return alarm
    }
}
