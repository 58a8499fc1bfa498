import HeadgateCombine
import TestSupport
import XCTest

final class DropTests: XCTestCase {
    func test_leavesOutTheFirstValues() {
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst(2)).values, [3, 4])
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst()).values, [2, 3, 4])
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst(9)).values, [])
        XCTAssertTrue(outcome(of: Values(1...4).dropFirst(9)).hasFinished)
    }

    func test_asksUpstreamForOneMoreForEachValueLeftOut() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.dropFirst(1).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        XCTAssertEqual(upstream.send(2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_showsItsNameInALog() {
        XCTAssertEqual(shownName { $0.dropFirst() }, "Drop")
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.dropFirst(0) }
    }
}
