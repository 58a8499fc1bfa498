import HeadgateCombine
import HeadgateCore
import HeadgateEngine

// A lock guards the shared state.
/// A clock that stands still until it is advanced, for tests and for examples that should not wait.
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
        /// Sorted by moment, then by age.
        var alarms: [Alarm] = []
    }

    private let state = Guarded(State())

    /// Creates a clock that shows zero.
    public init() {}

    /// The current moment, in nanoseconds.
    public var now: Int { state.withLock { $0.now } }

    /// Runs a closure when the clock is advanced to a moment or past it, on the thread that advances it.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let number = state.withLock { state in
            state.count += 1
            let place = state.alarms.firstIndex { $0.moment > moment } ?? state.alarms.endIndex
            state.alarms.insert(Alarm(moment: moment, number: state.count, action: action), at: place)
            return state.count
        }
        return AnyCancellable { [weak self] in self?.remove(number) }
    }

    /// Advances the clock, and runs the jobs scheduled for the time in between, each at its exact moment.
    ///
    /// - Parameter seconds: Zero or more, to the nearest nanosecond. Anything else traps.
    public func advance(by seconds: Double) {
        let nanoseconds = (seconds * 1_000_000_000).rounded()
        guard nanoseconds >= 0, let step = Int(exactly: nanoseconds) else {
            programmerError(
                rule: "A clock only moves forward, by at most 292 years.", found: "advance(by: \(seconds))",
                remedy: "Pass zero or more seconds; to play backwards, give the player a negative rate.")
        }
        let (sum, overflow) = now.addingReportingOverflow(step)
        let goal = overflow ? Int.max : sum
        while let alarm = nextAlarm(until: goal) { alarm.action() }
    }

    /// Removes the next alarm and moves the clock there, or moves it to the goal if there is none before it.
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
