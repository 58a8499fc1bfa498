import Dispatch
import Headgate
import Synchronization
import TestSupport
import XCTest

final class MediaPlayerTests: XCTestCase {
    private let clock = VirtualMediaClock()

    // Used from the thread of the test alone.
    private final class Log: @unchecked Sendable {
        var times: [Double] = []
        var onTime: (Double) -> Void = { _ in }

        func note(_ time: Double) {
            times.append(time)
            onTime(time)
        }
    }

    private func observe(_ player: MediaPlayer, _ interval: Double = 0.25) -> (Log, MediaPlayer.TimeObserver) {
        let log = Log()
        return (log, player.addPeriodicTimeObserver(forInterval: interval) { log.note($0) })
    }

    func test_beginsPausedAtTheBeginning() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        clock.advance(by: 5)
        XCTAssertEqual(player.currentTime, 0)
        XCTAssertEqual(player.rate, 0)
        XCTAssertEqual(log.times, [])
    }

    func test_movesWithTheClockWhilePlaying() {
        let player = MediaPlayer(duration: 100, clock: clock)
        player.play()
        XCTAssertEqual(player.rate, 1)
        clock.advance(by: 1.5)
        XCTAssertEqual(player.currentTime, 1.5)
        player.rate = 2
        clock.advance(by: 0.75)
        XCTAssertEqual(player.currentTime, 3)
        player.rate = -0.5
        clock.advance(by: 1)
        XCTAssertEqual(player.currentTime, 2.5)
        player.pause()
        clock.advance(by: 9)
        XCTAssertEqual(player.currentTime, 2.5)
    }

    func test_reportsStartStopAndEveryMultipleOfTheInterval() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        player.play()
        clock.advance(by: 0.6)
        player.pause()
        clock.advance(by: 1)
        player.play()
        clock.advance(by: 0.2)
        XCTAssertEqual(log.times, [0, 0.25, 0.5, 0.6, 0.6, 0.75])
    }

    func test_reportsTwiceAsOftenAtTwiceTheRate() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        player.rate = 2
        clock.advance(by: 0.375)
        XCTAssertEqual(log.times, [0, 0.25, 0.5, 0.75])
    }

    func test_doesNotDriftWithIntervalsThatAreNoWholeNanoseconds() {
        let player = MediaPlayer(duration: 10_000, clock: clock)
        let (log, _) = observe(player, 1.0 / 3)
        player.play()
        for _ in 0..<30_000 { clock.advance(by: 0.1) }
        XCTAssertEqual(log.times.count, 9001)
        XCTAssertEqual(log.times[9000], 3000, accuracy: 2e-9)
        XCTAssertTrue(zip(log.times, log.times.dropFirst()).allSatisfy { $1 - $0 > 0.33 })
    }

    func test_reportsOnceOfEveryMultipleAtAnyRate() {
        for rate in [0.1, 0.3, 1 / 7.0, 3, 7, 11.3, 1000] {
            let player = MediaPlayer(duration: 1000, clock: clock)
            let (log, _) = observe(player, 0.7)
            player.rate = rate
            clock.advance(by: 70.35 / rate)
            XCTAssertEqual(log.times.count, 101, "\(rate)")
            for (index, time) in log.times.enumerated() {
                XCTAssertEqual(time, Double(index) * 0.7, accuracy: 2e-6, "\(rate)")
            }
        }
    }

    func test_stopsAtTheEndAndReportsOnce() {
        let player = MediaPlayer(duration: 1, clock: clock)
        let (log, _) = observe(player)
        player.play()
        clock.advance(by: 5)
        XCTAssertEqual(log.times, [0, 0.25, 0.5, 0.75, 1])
        XCTAssertEqual(player.rate, 0)
        XCTAssertEqual(player.currentTime, 1)
        player.play()
        XCTAssertEqual(player.rate, 0)
        XCTAssertEqual(log.times.count, 5)
    }

    func test_endsExactlyAtADurationThatNoNanosecondHits() {
        let player = MediaPlayer(duration: 2.0 / 3, clock: clock)
        let (log, _) = observe(player, 10)
        player.rate = 0.7
        clock.advance(by: 5)
        XCTAssertEqual(log.times, [0, 2.0 / 3])
    }

    func test_playsBackwardToTheBeginning() {
        let player = MediaPlayer(duration: 10, clock: clock)
        player.seek(to: 0.6)
        let (log, _) = observe(player)
        player.rate = -1
        clock.advance(by: 5)
        XCTAssertEqual(log.times, [0.6, 0.5, 0.25, 0])
        XCTAssertEqual(player.rate, 0)
        player.rate = -1
        XCTAssertEqual(player.rate, 0)
    }

    func test_reportsEveryJumpOnce() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        player.seek(to: 3.1)
        player.seek(to: 3.1)
        player.play()
        clock.advance(by: 0.2)
        player.seek(to: 7)
        clock.advance(by: 0.3)
        XCTAssertEqual(log.times, [3.1, 3.1, 3.1, 3.25, 7, 7.25])
        XCTAssertEqual(player.rate, 1)
    }

    func test_jumpsNoFurtherThanTheMediaGo() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        player.seek(to: -5)
        player.seek(to: -.infinity)
        player.seek(to: 50)
        player.seek(to: .infinity)
        XCTAssertEqual(log.times, [0, 0, 10, 10])
    }

    func test_aJumpToTheEndStopsAPlayerThatPlaysAndIsReportedOnce() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player)
        player.play()
        player.seek(to: 10)
        clock.advance(by: 1)
        XCTAssertEqual(log.times, [0, 10])
        XCTAssertEqual(player.rate, 0)
    }

    func test_aChangeOfRateIsNeitherStartNorStop() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player, 1)
        player.play()
        clock.advance(by: 0.5)
        player.rate = 2
        clock.advance(by: 0.5)
        player.rate = -1
        clock.advance(by: 1)
        player.play()
        XCTAssertEqual(log.times, [0, 1, 1])
    }

    func test_media_withoutLengthNeverPlay() {
        let player = MediaPlayer(duration: 0, clock: clock)
        let (log, _) = observe(player)
        player.play()
        XCTAssertEqual(player.rate, 0)
        player.seek(to: 1)
        XCTAssertEqual(log.times, [0])
    }

    func test_mediaWithoutEndPlayOn() {
        let player = MediaPlayer(duration: .infinity, clock: clock)
        let (log, _) = observe(player, 1_000_000)
        player.play()
        clock.advance(by: 5_000_000)
        XCTAssertEqual(log.times, [0, 1e6, 2e6, 3e6, 4e6, 5e6])
    }

    func test_numbersBeyondAllMeasureDoNoHarm() {
        let player = MediaPlayer(duration: 1e300, clock: clock)
        let (log, _) = observe(player, 1e-300)
        player.seek(to: 1e299)
        player.rate = 1e-300
        clock.advance(by: 1)
        player.rate = .greatestFiniteMagnitude
        clock.advance(by: 1e-8)
        XCTAssertEqual(player.currentTime, 1e300)
        XCTAssertEqual(player.rate, 0)
        XCTAssertEqual(log.times, [1e299, 1e299, 1e300])
    }

    func test_anEndlessIntervalReportsJumpsStartsAndStopsOnly() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (log, _) = observe(player, .infinity)
        player.play()
        clock.advance(by: 5)
        player.seek(to: 1)
        player.pause()
        XCTAssertEqual(log.times, [0, 1, 1])
    }

    func test_whatIsPassedWhileTheClockIsLateCountsAsOne() {
        // A clock that only shows the time, and wakes nothing.
        final class Late: MediaClock {
            let moment = Atomic(0)
            var now: Int { moment.load(ordering: .relaxed) }
            func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
                Subscriptions.empty
            }
        }
        let late = Late()
        let player = MediaPlayer(duration: 10, clock: late)
        let (log, _) = observe(player)
        player.play()
        late.moment.store(1_100_000_000, ordering: .relaxed)
        XCTAssertEqual(player.currentTime, 1.1)
        player.seek(to: 5)
        late.moment.store(9_000_000_000, ordering: .relaxed)
        XCTAssertEqual(player.currentTime, 10)
        player.pause()
        XCTAssertEqual(log.times, [0, 1.1, 5, 10])
    }

    func test_aRemovedObserverReceivesNothingMoreAndIsReleased() {
        let before = Tracked.count
        let player = MediaPlayer(duration: 10, clock: clock)
        let log = Log()
        let observer = player.addPeriodicTimeObserver(forInterval: 1) { [tracked = Tracked()] time in
            _ = tracked
            log.note(time)
        }
        player.play()
        clock.advance(by: 1)
        player.removeTimeObserver(observer)
        XCTAssertEqual(Tracked.count, before)
        player.removeTimeObserver(observer)
        player.removeTimeObserver("something else")
        clock.advance(by: 2)
        player.pause()
        XCTAssertEqual(log.times, [0, 1])
    }

    func test_anObserverMayTakeItselfAndOthersOutWhileItIsNotified() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (first, observer) = observe(player, 1)
        let (second, other) = observe(player, 1)
        first.onTime = { time in
            if time == 1 {
                player.removeTimeObserver(observer)
                player.removeTimeObserver(other)
            }
        }
        player.play()
        clock.advance(by: 5)
        XCTAssertEqual(first.times, [0, 1])
        XCTAssertEqual(second.times, [0])
    }

    func test_whatAnObserverDoesIsReportedAfterWhatIsBeingReported() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (first, _) = observe(player, 1)
        let (second, _) = observe(player, 1)
        first.onTime = { time in
            if time == 1 {
                player.seek(to: 5)
                player.pause()
            }
        }
        player.play()
        clock.advance(by: 5)
        XCTAssertEqual(first.times, [0, 1, 5, 5])
        XCTAssertEqual(second.times, [0, 1, 5, 5])
        XCTAssertEqual(player.currentTime, 5)
    }

    func test_jumpsFromInsideAnObserverAreFlat() {
        let player = MediaPlayer(duration: .infinity, clock: clock)
        let (log, _) = observe(player, 1)
        log.onTime = { time in if time < 50_000 { player.seek(to: time + 1) } }
        player.seek(to: 1)
        XCTAssertEqual(log.times.count, 50_000)
    }

    func test_observersHaveIntervalsOfTheirOwn() {
        let player = MediaPlayer(duration: 10, clock: clock)
        let (often, _) = observe(player, 0.5)
        let (seldom, _) = observe(player, 1)
        player.play()
        clock.advance(by: 2)
        XCTAssertEqual(often.times, [0, 0.5, 1, 1.5, 2])
        XCTAssertEqual(seldom.times, [0, 1, 2])
    }

    func test_callsOnTheQueueInOrder() {
        let queue = DispatchQueue(label: "MediaPlayerTests")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let player = MediaPlayer(duration: 10, clock: clock)
        let log = Log()
        let observer = player.addPeriodicTimeObserver(forInterval: 0.5, queue: queue) { time in
            log.note(DispatchQueue.getSpecific(key: key) == true ? time : -1)
        }
        player.play()
        clock.advance(by: 2)
        queue.sync {}
        XCTAssertEqual(log.times, [0, 0.5, 1, 1.5, 2])
        queue.sync {
            clock.advance(by: 1)
            player.removeTimeObserver(observer)
        }
        queue.sync {}
        XCTAssertEqual(log.times.count, 5)
    }

    func test_isNotKeptByItsClock() {
        weak var weakPlayer: MediaPlayer?
        do {
            let player = MediaPlayer(duration: 10, clock: clock)
            _ = observe(player)
            player.play()
            weakPlayer = player
        }
        XCTAssertNil(weakPlayer)
        clock.advance(by: 1)
    }

    func test_playsWithTheTimeOfTheMachine() {
        let player = MediaPlayer(duration: 0.02)
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var times: [Double] = []
        let observer = player.addPeriodicTimeObserver(forInterval: 0.005) { time in
            times.append(time)
            if time == 0.02 { done.signal() }
        }
        player.play()
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
        player.removeTimeObserver(observer)
        XCTAssertEqual(times.first, 0)
        XCTAssertEqual(times, times.sorted())
        XCTAssertEqual(player.rate, 0)
    }

    func test_mayBeUsedFromSeveralThreads() {
        let player = MediaPlayer(duration: 1000, clock: clock)
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let reported = Atomic(0)
        for _ in 0..<3 {
            _ = player.addPeriodicTimeObserver(forInterval: 0.5) { _ in
                if inside.add(1, ordering: .relaxed).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
                reported.add(1, ordering: .relaxed)
                inside.subtract(1, ordering: .relaxed)
            }
        }
        onThreads(4) { [clock] thread in
            for number in 0..<500 {
                switch thread {
                case 0: player.seek(to: Double(number))
                case 1: player.rate = Double(number % 3)
                case 2: clock.advance(by: 0.1)
                default: player.removeTimeObserver(player.addPeriodicTimeObserver(forInterval: 1) { _ in })
                }
            }
        }
        XCTAssertEqual(overlaps.load(ordering: .relaxed), 0)
        XCTAssertGreaterThanOrEqual(reported.load(ordering: .relaxed), 1500)
    }
}
