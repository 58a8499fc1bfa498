import Dispatch
import Headgate
import HeadgateTesting
import HeadgateTestingTimers
import XCTest

/// One scheduler drives whatever counts time.
final class VirtualTimeTests: XCTestCase {
    func test_drivesTheMediaPlayer() {
        let scheduler = TestScheduler()
        let player = MediaPlayer(duration: 60, clock: TestMediaClock(scheduler))
        let progress = TestSubscriber<TimeInterval, Never>(.unlimited, clock: scheduler)
        player.playheadProgressPublisher(interval: 0.5).subscribe(progress)
        player.play()
        scheduler.advance(by: .milliseconds(1600))
        XCTAssertEqual(player.currentTime, 1.6, accuracy: 1e-9)
        XCTAssertEqual(progress.timedValues.map(\.time.nanoseconds), progress.values.map { Int($0 * 1e9) })
        XCTAssertEqual(progress.values.suffix(3), [0.5, 1, 1.5])
        XCTAssertEqual(progress.breaches, [])
        progress.cancel()
        player.pause()
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_drivesThePlayerAndAnOperatorAfterItByOneClock() {
        let scheduler = TestScheduler()
        let player = MediaPlayer(duration: 60, clock: TestMediaClock(scheduler))
        let late = TestSubscriber<TimeInterval, Never>(.unlimited, clock: scheduler)
        player.playheadProgressPublisher(interval: 1).dropFirst().delay(for: .seconds(1), scheduler: scheduler)
            .subscribe(late)
        player.play()
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(
            late.timedValues.map(\.time), [TestTime(nanoseconds: 2_000_000_000), TestTime(nanoseconds: 3_000_000_000)])
        XCTAssertEqual(late.values, [1, 2])
        late.cancel()
    }

    func test_drivesTimers() {
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<DispatchTime, Never>(.unlimited, clock: scheduler)
        Publishers.timer(scheduler: scheduler, interval: .seconds(2), times: .max(2)).subscribe(subscriber)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(subscriber.timedValues.map(\.time.description), ["2s", "4s"])
        XCTAssertEqual(subscriber.values.map(\.uptimeNanoseconds), [2_000_000_001, 4_000_000_001])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_aTimerThatNeverTicksLeavesNothingOnTheScheduler() {
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<DispatchTime, Never>(.unlimited)
        Publishers.timer(scheduler: scheduler, interval: .never).subscribe(subscriber)
        XCTAssertEqual(scheduler.unfinished, [])
        subscriber.cancel()
    }

    func test_cancellingATimerEndsItsWork() {
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<DispatchTime, Never>(.unlimited)
        Publishers.timer(scheduler: scheduler, interval: .seconds(1)).subscribe(subscriber)
        XCTAssertEqual(scheduler.unfinished.count, 1)
        subscriber.cancel()
        XCTAssertEqual(scheduler.unfinished, [])
    }
}
