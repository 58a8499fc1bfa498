import Foundation
import HeadgateCore

/// The one timer that a run loop has for everything that is scheduled on it once.
///
/// Foundation's timers on Linux are never freed, hence one for all, whose date is set. It stays in the main run loop for
/// good; another run loop it leaves a second after there was work, so that a loop that runs until it has nothing to wait for
/// comes to its end.
// Everything that threads share is behind the lock. Work goes to the run loop's thread; that it may is for whoever
// schedules it to know.
final class RunLoopAlarm: @unchecked Sendable {
    private struct State {
        var lineup = Lineup()
        var timer: Timer?
        /// Whether the timer is set to go off at once.
        var isWaking = false
    }

    private let state = Guarded(State())

    /// Makes the run loop come round, if it sleeps.
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
            if state.lineup.insert(date, action), !state.isWaking {
                set(&state, after: SteadyClock.shared.time(until: date), on: loop)
            }
        }
    }

    /// Sets the timer; under the lock, for the last date that is set counts, and no timer calls anybody meanwhile.
    private func set(_ state: inout State, after seconds: TimeInterval, on loop: RunLoop) {
        // A timer that is set while it goes off has to be set to a later date than that for which it does.
        let date = Date(timeIntervalSinceNow: seconds + 1e-6)
        if let timer = state.timer {
            timer.fireDate = date
        } else {
            let timer = Timer(fire: date, interval: Self.never, repeats: true) { [self] in ring($0) }
            state.timer = timer
            loop.add(timer, forMode: .default)
        }
    }

    /// A timer that repeats can be set again; this one does not come to it.
    private static let never: TimeInterval = 1e9

    private static let patience: TimeInterval = 1

    /// Has the run loop do what is due, and sets the timer for what is not.
    private func ring(_ timer: Timer) {
        let loop = RunLoop.current
        let (due, isLeaving): ([() -> Void], Bool) = state.withLock { state in
            let wasAwaited = state.isWaking || state.lineup.first != nil
            state.isWaking = false
            let due = state.lineup.takeDue(at: SteadyClock.shared.now)
            if let next = state.lineup.first {
                set(&state, after: SteadyClock.shared.time(until: next), on: loop)
            } else if loop !== RunLoop.main {
                if !wasAwaited {
                    state.timer = nil
                    return (due, true)
                }
                set(&state, after: Self.patience, on: loop)
            }
            return (due, false)
        }
        if isLeaving { timer.invalidate() }
        // Not from here: work may run the run loop itself, and a timer does not go off while it goes off.
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

    // A slot stays when its loop is gone: there are no more of them than addresses at which run loops have lived.
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
            // What waited for a loop that has gone is released outside the lock.
            return (alarm, old)
        }
        return alarm
    }
}
