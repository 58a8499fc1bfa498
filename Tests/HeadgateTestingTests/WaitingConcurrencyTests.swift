import Dispatch
import HeadgateCore
import HeadgateTesting
import XCTest

/// Waiting for threads that the test doesn't control.
final class WaitingConcurrencyTests: XCTestCase {
    func test_waitsUntilAConditionHolds() {
        let count = Guarded(0)
        DispatchQueue.global().async { for _ in 0..<1000 { count.withLock { $0 += 1 } } }
        XCTAssertTrue(waitUntil { count.withLock { $0 } == 1000 })
    }

    func test_looksOnceWhereTheConditionHoldsAlready() {
        var looks = 0
        XCTAssertTrue(
            waitUntil {
                looks += 1
                return true
            })
        XCTAssertEqual(looks, 1)
    }

    func test_givesUpWhenThePatienceIsOver() {
        XCTAssertFalse(waitUntil(timeout: 5) { false })
        var changes = 0
        XCTAssertFalse(
            waitForQuiet(for: 50, timeout: 5) {
                changes += 1
                return changes
            })
    }

    func test_isQuietAfterTheLastChange() {
        let count = Guarded(0)
        DispatchQueue.global().async {
            for _ in 0..<20 {
                count.withLock { $0 += 1 }
                usleep(200)
            }
        }
        XCTAssertTrue(waitUntil { count.withLock { $0 } > 0 })
        XCTAssertTrue(waitForQuiet(for: 200) { count.withLock { $0 } })
        XCTAssertEqual(count.withLock { $0 }, 20)
    }
}
