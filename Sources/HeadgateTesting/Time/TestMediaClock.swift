import Headgate
import HeadgateEngine
import HeadgateCore

/// The clock of a simulated media player, driven by a test scheduler, so that the player and whatever counts time behind
/// it go by one clock.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let player = MediaPlayer(duration: 60, clock: TestMediaClock(scheduler))
/// player.play()
/// scheduler.advance(by: .milliseconds(1500))
/// print(player.currentTime)
/// // 1.5
/// ```
public struct TestMediaClock: MediaClock {
    private let scheduler: TestScheduler

    /// Makes a clock that shows the time of a scheduler.
    public init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// The present moment of the scheduler, in nanoseconds.
    public var now: Int { scheduler.now.nanoseconds }

    /// Runs a closure when the scheduler gets to a moment, on the thread that moves it.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        scheduler.scheduleOnce(at: TestTime(nanoseconds: moment), action)
    }
}
