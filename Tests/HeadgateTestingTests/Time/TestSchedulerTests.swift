import Headgate
import HeadgateTesting
import XCTest

final class TestSchedulerTests: XCTestCase {
    func test_runsNothingBeforeTheClockIsMoved() {
        let scheduler = TestScheduler()
        var log: [Int] = []
        scheduler.schedule { log.append(1) }
        XCTAssertEqual(log, [])
        scheduler.runDue()
        XCTAssertEqual(log, [1])
    }

    func test_runsInTheOrderOfMomentsAndThenOfAge() {
        let scheduler = TestScheduler()
        var log: [Int] = []
        scheduler.schedule(after: TestTime(nanoseconds: 2)) { log.append(3) }
        scheduler.schedule(after: TestTime(nanoseconds: 1)) { log.append(1) }
        scheduler.schedule(after: TestTime(nanoseconds: 1)) {
            log.append(2)
            scheduler.schedule { log.append(20) }
        }
        scheduler.advance(by: .nanoseconds(2))
        XCTAssertEqual(log, [1, 2, 20, 3])
    }

    func test_repeatedWorkStopsFromInside() {
        let scheduler = TestScheduler()
        var ticks: [TestTime] = []
        var token: (any Cancellable)?
        token = scheduler.schedule(after: TestTime(nanoseconds: 10), interval: .nanoseconds(5)) {
            ticks.append(scheduler.now)
            if ticks.count == 3 { token?.cancel() }
        }
        XCTAssertTrue(scheduler.runUntilIdle())
        XCTAssertEqual(ticks.map(\.nanoseconds), [10, 15, 20])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_reportsTimersThatWereLeftBehind() {
        let scheduler = TestScheduler()
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
}
