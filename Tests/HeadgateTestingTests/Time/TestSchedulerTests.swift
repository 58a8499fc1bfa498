import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class TestSchedulerTests: XCTestCase {
    private let scheduler = TestScheduler()

    func test_runsNothingBeforeTheClockIsMoved() {
        var log: [Int] = []
        scheduler.schedule { log.append(1) }
        scheduler.schedule(after: scheduler.now) { log.append(2) }
        XCTAssertEqual(log, [])
        XCTAssertEqual(scheduler.unfinished.count, 2)
        scheduler.runDue()
        XCTAssertEqual(log, [1, 2])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_runsInTheOrderOfMomentsAndThenOfAge() {
        var log: [Int] = []
        for (seconds, name) in [(3, 1), (1, 2), (2, 3), (1, 4), (3, 5), (0, 6), (2, 7)] {
            scheduler.schedule(after: scheduler.now.advanced(by: .seconds(seconds))) { log.append(name) }
        }
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 0s"] + [1, 1, 2, 2, 3, 3].map { "at \($0)s" })
        scheduler.advance(by: 3)
        XCTAssertEqual(log, [6, 2, 4, 3, 7, 1, 5])
    }

    func test_keepsTheOrderOfMuchWork() {
        var random = SeededGenerator(seed: 1)
        let moments = (0..<10_000).map { _ in Int.random(in: 0..<1000, using: &random) }
        var log: [Int] = []
        for (number, moment) in moments.enumerated() {
            scheduler.schedule(after: TestTime(nanoseconds: moment)) { log.append(number) }
        }
        XCTAssertTrue(scheduler.runUntilIdle())
        XCTAssertEqual(log, moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) })
    }

    /// Takes a minute if one piece of work costs a look at all the others.
    func test_fiftyThousandPiecesOfWorkForOneMomentComeAndGoWithoutLookingAtEachOther() {
        let count = 50_000
        var sum = 0
        let timers = (0..<count).map { _ in scheduler.schedule(after: .zero, interval: 1) { sum = .min } }
        for number in 0..<count { scheduler.schedule { sum += number } }
        for timer in timers { timer.cancel() }
        scheduler.runDue()
        XCTAssertEqual(sum, count * (count - 1) / 2)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_stopsAtTheGoal() {
        var log: [TestTime] = []
        let date = TestTime.zero.advanced(by: .seconds(2))
        scheduler.schedule(after: date) { log.append(self.scheduler.now) }
        scheduler.advance(by: 1.9)
        XCTAssertEqual(log, [])
        XCTAssertEqual(scheduler.unfinished.map(\.date), [date])
        scheduler.advance(by: 0.5)
        XCTAssertEqual(log, [date])
        XCTAssertEqual(scheduler.now.nanoseconds, 2_400_000_000)
    }

    func test_runsWhatIsScheduledMeanwhile() {
        var log: [String] = []
        let date = TestTime.zero.advanced(by: .seconds(1))
        scheduler.schedule(after: date) {
            log.append("first")
            self.scheduler.schedule { log.append("at once") }
            self.scheduler.schedule(after: date.advanced(by: .seconds(1))) { log.append("later") }
            self.scheduler.schedule(after: date.advanced(by: .seconds(2))) { log.append("too late") }
        }
        scheduler.schedule(after: date) { log.append("second") }
        scheduler.advance(by: 2)
        XCTAssertEqual(log, ["first", "second", "at once", "later"])
    }

    func test_repeatsUntilCancelled() {
        var ticks: [String] = []
        let token = scheduler.schedule(after: TestTime.zero.advanced(by: .seconds(1)), interval: 2) {
            ticks.append("\(self.scheduler.now)")
        }
        scheduler.advance(by: 6)
        token.cancel()
        scheduler.advance(by: 6)
        XCTAssertEqual(ticks, ["1s", "3s", "5s"])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_repeatedWorkStopsFromInside() {
        var ticks: [TestTime] = []
        nonisolated(unsafe) var token: (any Cancellable)?
        token = scheduler.schedule(after: TestTime(nanoseconds: 10), interval: .nanoseconds(5)) {
            ticks.append(self.scheduler.now)
            if ticks.count == 3 { token?.cancel() }
        }
        XCTAssertTrue(scheduler.runUntilIdle())
        XCTAssertEqual(ticks.map(\.nanoseconds), [10, 15, 20])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_repeatedWorkKeepsItsPlaceAmongWorkForTheSameMoment() {
        var log: [Int] = []
        let token = scheduler.schedule(after: .zero, interval: 1) { log.append(1) }
        scheduler.schedule(after: TestTime.zero.advanced(by: .seconds(1))) { log.append(2) }
        scheduler.advance(by: 1)
        token.cancel()
        XCTAssertEqual(log, [1, 1, 2])
    }

    func test_releasingTheTokenEndsTheRepetition() {
        var token: (any Cancellable)? = scheduler.schedule(after: .zero, interval: 1) {}
        XCTAssertNotNil(token)
        token = nil
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_releasesWorkThatIsDoneOrCancelled() {
        let before = Tracked.count
        scheduler.schedule { [tracked = Tracked()] in _ = tracked }
        let token = scheduler.schedule(after: scheduler.now, interval: 1) { [tracked = Tracked()] in _ = tracked }
        XCTAssertEqual(Tracked.count, before + 2)
        scheduler.runDue()
        XCTAssertEqual(Tracked.count, before + 1)
        token.cancel()
        XCTAssertEqual(Tracked.count, before)
    }

    func test_reportsHowWorkWasScheduled() {
        let options = TestScheduler.SchedulerOptions(label: "options")
        scheduler.schedule(options: options) {}
        scheduler.schedule(after: TestTime(nanoseconds: 5), tolerance: 1) {}
        let token = scheduler.schedule(after: TestTime(nanoseconds: 6), interval: 2, tolerance: 3, options: options) {}
        XCTAssertEqual(scheduler.unfinished.map(\.date.nanoseconds), [0, 5, 6])
        XCTAssertEqual(scheduler.unfinished.map(\.interval), [nil, nil, 2])
        XCTAssertEqual(scheduler.unfinished.map(\.tolerance), [0, 1, 3])
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options, nil, options])
        XCTAssertEqual(scheduler.scheduledCount, 3)
        token.cancel()
    }

    func test_reportsTimersThatWereLeftBehind() {
        let token = scheduler.schedule(after: TestTime.zero.advanced(by: .seconds(1)), interval: .seconds(2)) {}
        XCTAssertFalse(scheduler.runUntilIdle(limit: 3))
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 7s, every 2s"])
        token.cancel()
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_wakesATaskThatSleeps() async throws {
        let scheduler = TestScheduler()
        let clock = TestClock(scheduler)
        let task = Task {
            try await clock.sleep(for: .seconds(3))
            return clock.now
        }
        while scheduler.unfinished.isEmpty { await Task.yield() }
        scheduler.advance(by: .seconds(3))
        let woken = try await task.value
        XCTAssertEqual(woken, TestTime.zero.advanced(by: .seconds(3)))
    }

    func test_aCancelledSleepLeavesTheSchedulerAtOnce() async {
        let scheduler = TestScheduler()
        let task = Task { try await TestClock(scheduler).sleep(for: .seconds(3)) }
        while scheduler.unfinished.isEmpty { await Task.yield() }
        task.cancel()
        _ = await task.result
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_wakesACancelledTaskAtOnce() async {
        let scheduler = TestScheduler()
        let task = Task { try await TestClock(scheduler).sleep(for: .seconds(3)) }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    }

    func test_lengthsThatDoNotFitAreEndless() {
        for length in [
            TestTime.Stride.seconds(.max), .seconds(.infinity), .milliseconds(.max), .microseconds(.max),
            TestTime.Stride(Duration.seconds(Int64.max)), .seconds(.max) + .seconds(1), .seconds(.max) * .seconds(2),
        ] {
            XCTAssertEqual(length, .nanoseconds(.max))
            XCTAssertEqual(TestTime(nanoseconds: 5).advanced(by: length).nanoseconds, .max)
        }
        XCTAssertEqual(TestTime.Stride.seconds(.min), .nanoseconds(.min))
        XCTAssertEqual(TestTime.zero.advanced(by: Duration.seconds(Int64.max)).nanoseconds, .max)
        XCTAssertEqual(TestTime(nanoseconds: .min).distance(to: TestTime(nanoseconds: .max)), .nanoseconds(.max))
        let scheduler = TestScheduler()
        scheduler.advance(by: .seconds(1))
        var isOver = false
        let stream = PassthroughSubject<Int, Never>().timeout(.seconds(.max), scheduler: scheduler)
            .sink(receiveCompletion: { _ in isOver = true }, receiveValue: { _ in })
        scheduler.advance(by: .seconds(3600))
        XCTAssertFalse(isOver)
        stream.cancel()
    }
}
