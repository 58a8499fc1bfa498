import Foundation
import HeadgateFoundation
import TestSupport
import XCTest

final class DeadlineQueueTests: XCTestCase {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    func test_takesDueWorkInTheOrderOfMomentsThenOfAge() {
        var queue = DeadlineQueue()
        var log: [Int] = []
        var expected: [(second: Int, number: Int)] = []
        for number in 0..<200 {
            let second = number * 37 % 20
            expected.append((second, number))
            _ = queue.insert(start + Double(second)) { log.append(number) }
        }
        expected.sort { ($0.second, $0.number) < ($1.second, $1.number) }
        for action in queue.takeDue(at: start + 9) { action() }
        XCTAssertEqual(log, expected.filter { $0.second <= 9 }.map(\.number))
        XCTAssertEqual(queue.first, start + 10)
        for action in queue.takeDue(at: start + 20) { action() }
        XCTAssertEqual(log, expected.map(\.number))
        XCTAssertNil(queue.first)
    }

    func test_reportsWhichWorkIsFirst() {
        var queue = DeadlineQueue()
        XCTAssertTrue(queue.insert(start + 2) {})
        XCTAssertFalse(queue.insert(start + 2) {})
        XCTAssertFalse(queue.insert(start + 3) {})
        XCTAssertTrue(queue.insert(start + 1) {})
    }

    func test_releasesTheWorkThatIsTaken() {
        let before = Tracked.count
        var queue = DeadlineQueue()
        for second in 0..<10 { _ = queue.insert(start + Double(second)) { [tracked = Tracked()] in _ = tracked } }
        _ = queue.takeDue(at: start + 4)
        XCTAssertEqual(Tracked.count, before + 5)
    }

    func test_growsInProportionToTheNumberOfAlarms() {
        assertGrowsLinearly(from: 4_000) { count in
            var queue = DeadlineQueue()
            // Later and later, which an array that has the first one last would move out of the way each time.
            for second in 0..<count { _ = queue.insert(start + Double(second)) {} }
            for second in 0..<count { _ = queue.takeDue(at: start + Double(second)) }
        }
    }
}

final class SteadyClockTests: XCTestCase {
    func test_goesOnFromTheDateThatItWasGiven() {
        let clock = SteadyClock(date: Date(timeIntervalSinceReferenceDate: 0))
        let first = clock.now
        XCTAssertGreaterThanOrEqual(first, Date(timeIntervalSinceReferenceDate: 0))
        XCTAssertLessThan(first, Date(timeIntervalSinceReferenceDate: 600), "it has looked at the machine's clock")
        XCTAssertGreaterThanOrEqual(clock.now, first)
        XCTAssertEqual(clock.time(until: first), 0)
        XCTAssertEqual(clock.time(until: first + 3600), 3600, accuracy: 600)
    }

    func test_isTheClockOfRunLoopsAndOperationQueues() {
        let before = SteadyClock.shared.now
        let moments = [RunLoop.main.now.date, OperationQueue.main.now.date]
        let after = SteadyClock.shared.now
        for moment in moments { XCTAssertTrue((before...after).contains(moment)) }
    }
}
