import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import HeadgateTesting

/// The clock of a simulated media player, driven by a test scheduler, so that the player and the operators downstream
/// of it share one clock.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateTestingTimers
///
/// let scheduler = TestScheduler()
/// let player = MediaPlayer(duration: 60, clock: TestMediaClock(scheduler))
/// player.play()
/// scheduler.advance(by: .milliseconds(1500))
/// print(player.currentTime)
/// // 1.5
/// ```
public struct TestMediaClock: MediaClock {
    private let scheduler: TestScheduler

    /// Creates a clock that shows the time of a scheduler.
    public init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// The current time of the scheduler in nanoseconds.
    public var now: Int { scheduler.now.nanoseconds }

    /// Runs a closure when the scheduler reaches a time, on the thread that advances it.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let alarm = scheduler.setAlarm(
            at: TestTime(nanoseconds: moment), tolerance: .zero, options: nil, action)
        return AnyCancellable(alarm.cancel)
    }
}
