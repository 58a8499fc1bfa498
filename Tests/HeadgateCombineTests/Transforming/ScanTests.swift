import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ScanTests: XCTestCase {
    func test_publishesTheResultSoFar() {
        XCTAssertEqual(outcome(of: Values(1...3).scan(10, +)).values, [11, 13, 16])
        XCTAssertEqual(outcome(of: Values(1...3).tryScan(10, +)).values, [11, 13, 16])
    }

    func test_startsAfreshForEachSubscriber() {
        let sums = Values(1...2).scan(0, +)
        XCTAssertEqual(outcome(of: sums).values, [1, 3])
        XCTAssertEqual(outcome(of: sums).values, [1, 3])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.scan(0, +) }
        checkStep { $0.tryScan(0, +) }
    }

    func test_isTransparentInALog() {
        XCTAssertEqual(shownName { $0.scan(0, +) }, "TestPublisher")
    }

    func test_tryScanFailsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryScan") { upstream, closure in upstream.tryScan(0) { $0 + (try closure($1)) } }
    }
}
