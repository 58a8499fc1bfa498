import HeadgateCombine
import HeadgateCore
import HeadgateEngine

// Whatever threads share is behind the lock.
/// A clock that stands still until it is moved by hand, for tests and for examples that should not take their time.
///
/// ```swift
/// let clock = VirtualMediaClock()
/// let player = MediaPlayer(duration: 60, clock: clock)
/// player.play()
/// clock.advance(by: 1.5)
/// print(player.currentTime)
/// // 1.5
/// ```
public final class VirtualMediaClock: MediaClock, @unchecked Sendable {
    private struct Alarm {
        let moment: Int
        let number: Int
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = 0
        var count = 0
        /// By moment, and at one moment by age.
        var alarms: [Alarm] = []
    }

    private let state = Guarded(State())

    /// Makes a clock that shows zero.
    public init() {}

    /// The present moment, in nanoseconds.
    public var now: Int { state.withLock { $0.now } }

    /// Runs a closure when the clock is moved to a moment or past it, on the thread that moves it.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let number = state.withLock { state in
            state.count += 1
            let place = state.alarms.firstIndex { $0.moment > moment } ?? state.alarms.endIndex
            state.alarms.insert(Alarm(moment: moment, number: state.count, action: action), at: place)
            return state.count
        }
        return AnyCancellable { [weak self] in self?.remove(number) }
    }

    /// Moves the clock on, and runs what was scheduled for the time in between, each at its very moment.
    ///
    /// - Parameter seconds: Zero or more, to the nearest nanosecond. Anything else is a programmer's error and traps.
    public func advance(by seconds: Double) {
        let nanoseconds = (seconds * 1_000_000_000).rounded()
        guard nanoseconds >= 0, let step = Int(exactly: nanoseconds) else {
            programmerError(
                rule: "A clock goes forward, by at most 292 years.", found: "advance(by: \(seconds))",
                remedy: "Give a number of seconds from zero up; to let a player go back, give it a negative rate.")
        }
        let (sum, overflow) = now.addingReportingOverflow(step)
        let goal = overflow ? Int.max : sum
        while let alarm = nextAlarm(until: goal) { alarm.action() }
    }

    /// Takes out the next alarm and moves the clock there, or moves it to the goal if there is none before it.
    private func nextAlarm(until goal: Int) -> Alarm? {
        state.withLock { state in
            guard let first = state.alarms.first, first.moment <= goal else {
                state.now = max(state.now, goal)
                return nil
            }
            state.now = max(state.now, first.moment)
            return state.alarms.removeFirst()
        }
    }

    private func remove(_ number: Int) {
        _ = state.withLock { state in
            state.alarms.firstIndex { $0.number == number }.map { state.alarms.remove(at: $0) }
        }
    }
}
