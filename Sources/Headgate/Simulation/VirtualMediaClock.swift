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
    private struct State {
        var now = 0
        var alarms = AlarmHeap<Int, ForgetfulAlarm>()
    }

    private let state = Guarded(State())

    /// Creates a clock that shows zero.
    public init() {}

    /// The current moment, in nanoseconds.
    public var now: Int { state.withLock { $0.now } }

    /// Runs a closure when the clock is advanced to a moment or past it, on the thread that advances it.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let alarm = ForgetfulAlarm(action)
        state.withLock { _ = $0.alarms.insert(alarm, at: moment) }
        return AnyCancellable { [weak self, weak alarm] in
            guard let self, let alarm else { return }
            // Released outside the lock.
            _ = state.withLock { $0.alarms.removeAll { $0 === alarm } }
        }
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
        while let alarm = nextAlarm(until: goal) { alarm.run() }
    }

    /// Removes the next alarm and moves the clock there, or moves it to the goal if there is none before it.
    private func nextAlarm(until goal: Int) -> ForgetfulAlarm? {
        state.withLock { state in
            guard let first = state.alarms.first, first.date <= goal else {
                state.now = max(state.now, goal)
                return nil
            }
            state.alarms.moveFirst(to: nil)
            state.now = max(state.now, first.date)
            return first.item
        }
    }
}
