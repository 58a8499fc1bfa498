import Foundation
import HeadgateFoundation
import XCTest

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
