import HeadgateCombine
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class OutstandingDemandTests: XCTestCase {
    func test_addsUpAndReportsWhatWasThereBefore() {
        let demand = OutstandingDemand()
        XCTAssertEqual(demand.current, .none)
        XCTAssertEqual(demand.add(.max(2)), Subscribers.Demand.none)
        XCTAssertEqual(demand.add(.max(3)), .max(2))
        XCTAssertEqual(demand.current, .max(5))
    }

    func test_takesNoNoticeOfNone() {
        let demand = OutstandingDemand()
        XCTAssertNil(demand.add(.none))
        XCTAssertEqual(demand.add(.max(1)), Subscribers.Demand.none)
        XCTAssertNil(demand.add(.none))
    }

    func test_servesExactlyWhatWasRequested() {
        let demand = OutstandingDemand()
        XCTAssertFalse(demand.takeOne())
        demand.add(.max(2))
        XCTAssertTrue(demand.takeOne())
        XCTAssertTrue(demand.takeOne())
        XCTAssertFalse(demand.takeOne())
    }

    func test_neverUsesUpUnlimited() {
        let demand = OutstandingDemand()
        demand.add(.max(2))
        demand.add(.unlimited)
        for _ in 0..<5 { XCTAssertTrue(demand.takeOne()) }
        XCTAssertTrue(demand.isUnlimited)
        XCTAssertEqual(demand.add(.max(1)), .unlimited)
        XCTAssertTrue(demand.isUnlimited)
    }

    func test_saturatesInsteadOfOverflowing() {
        let demand = OutstandingDemand()
        demand.add(.max(.max))
        demand.add(.max(.max))
        XCTAssertEqual(demand.current, .unlimited)
        XCTAssertFalse(demand.isClosed)
    }

    func test_staysClosed() {
        let demand = OutstandingDemand()
        demand.add(.max(3))
        XCTAssertEqual(demand.close(), .max(3))
        XCTAssertNil(demand.close())
        XCTAssertTrue(demand.isClosed)
        XCTAssertFalse(demand.isUnlimited)
        XCTAssertEqual(demand.current, .none)
        XCTAssertNil(demand.add(.unlimited))
        XCTAssertFalse(demand.takeOne())
        XCTAssertTrue(demand.isClosed)
    }

    func test_settlesOnlyWhenNothingWasAddedMeanwhile() {
        let demand = OutstandingDemand()
        demand.add(.max(2))
        demand.add(.max(1))
        XCTAssertFalse(demand.settle(.max(2)))
        XCTAssertTrue(demand.settle(.max(3)))
        XCTAssertEqual(demand.current, .none)
    }

    func test_losesNothingBetweenThreads() {
        let demand = OutstandingDemand()
        let taken = Atomic(0)
        onThreads(4) { thread in
            for _ in 0..<5_000 {
                if thread.isMultiple(of: 2) {
                    demand.add(.max(1))
                } else if demand.takeOne() {
                    taken.add(1, ordering: .relaxed)
                }
            }
        }
        XCTAssertEqual(demand.current, .max(10_000 - taken.load(ordering: .relaxed)))
    }
}
