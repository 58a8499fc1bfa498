import Headgate
import TestSupport
import XCTest

final class VirtualSchedulerTests: XCTestCase {
    private let scheduler = VirtualScheduler()

    func test_runsNothingByItself() {
        var log: [Int] = []
        scheduler.schedule { log.append(1) }
        scheduler.schedule(after: scheduler.now) { log.append(2) }
        XCTAssertEqual(log, [])
        XCTAssertEqual(scheduler.pendingCount, 2)
        scheduler.runDue()
        XCTAssertEqual(log, [1, 2])
        XCTAssertEqual(scheduler.pendingCount, 0)
    }

    func test_runsByMomentAndThenByOrderOfScheduling() {
        var log: [Int] = []
        for (seconds, name) in [(3, 1), (1, 2), (2, 3), (1, 4), (3, 5), (0, 6), (2, 7)] {
            scheduler.schedule(after: scheduler.now.advanced(by: .seconds(seconds))) { log.append(name) }
        }
        scheduler.advance(by: 3)
        XCTAssertEqual(log, [6, 2, 4, 3, 7, 1, 5])
    }

    func test_stopsAtTheGoal() {
        var log: [Int] = []
        scheduler.schedule(after: scheduler.now.advanced(by: 2)) { log.append(self.scheduler.now.nanoseconds) }
        scheduler.advance(by: 1.9)
        XCTAssertEqual(log, [])
        XCTAssertEqual(scheduler.nextDate, .init(nanoseconds: 2_000_000_000))
        scheduler.advance(by: 0.5)
        XCTAssertEqual(log, [2_000_000_000])
        XCTAssertEqual(scheduler.now.nanoseconds, 2_400_000_000)
    }

    func test_runsWhatIsScheduledMeanwhile() {
        var log: [String] = []
        scheduler.schedule(after: scheduler.now.advanced(by: 1)) {
            log.append("first")
            self.scheduler.schedule { log.append("at once") }
            self.scheduler.schedule(after: self.scheduler.now.advanced(by: 1)) { log.append("later") }
            self.scheduler.schedule(after: self.scheduler.now.advanced(by: 2)) { log.append("too late") }
        }
        scheduler.schedule(after: scheduler.now.advanced(by: 1)) { log.append("second") }
        scheduler.advance(by: 2)
        XCTAssertEqual(log, ["first", "second", "at once", "later"])
    }

    func test_repeatsUntilCancelled() {
        var log: [Int] = []
        let timer = scheduler.schedule(after: scheduler.now.advanced(by: 1), interval: 2) {
            log.append(self.scheduler.now.nanoseconds / 1_000_000_000)
        }
        scheduler.advance(by: 6)
        timer.cancel()
        scheduler.advance(by: 6)
        XCTAssertEqual(log, [1, 3, 5])
        XCTAssertEqual(scheduler.pendingCount, 0)
    }

    func test_cancelFromInsideTheWorkEndsTheRepetition() {
        var count = 0
        var timer: (any Cancellable)?
        timer = scheduler.schedule(after: scheduler.now, interval: 1) {
            count += 1
            timer?.cancel()
        }
        scheduler.advance(by: 10)
        XCTAssertEqual(count, 1)
    }

    func test_letsGoOfWorkThatIsDoneOrCancelled() {
        let before = Tracked.count
        scheduler.schedule { [tracked = Tracked()] in _ = tracked }
        let timer = scheduler.schedule(after: scheduler.now, interval: 1) { [tracked = Tracked()] in _ = tracked }
        XCTAssertEqual(Tracked.count, before + 2)
        scheduler.runDue()
        XCTAssertEqual(Tracked.count, before + 1)
        timer.cancel()
        XCTAssertEqual(Tracked.count, before)
    }

    func test_notesWhatItWasTold() {
        scheduler.schedule(options: .init(label: "a")) {}
        scheduler.schedule(after: .init(nanoseconds: 5), tolerance: 1) {}
        XCTAssertEqual(
            scheduler.calls,
            [.init(options: .init(label: "a")), .init(date: .init(nanoseconds: 5), tolerance: .seconds(1))]
        )
    }

    func test_runAllEndsAtItsLimit() {
        var count = 0
        let timer = scheduler.schedule(after: scheduler.now, interval: 1) { count += 1 }
        scheduler.runAll(limit: 5000)
        timer.cancel()
        XCTAssertEqual(count, 5000)
    }
}
