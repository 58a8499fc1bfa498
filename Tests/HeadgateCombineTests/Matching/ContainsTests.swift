import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ContainsTests: XCTestCase {
    func test_publishesWhetherThereIsSuchAValue() {
        XCTAssertEqual(outcome(of: Values(1...3).contains(2)).values, [true])
        XCTAssertEqual(outcome(of: Values(1...3).contains(4)).values, [false])
        XCTAssertEqual(outcome(of: Values(1...3).contains { $0 > 2 }).values, [true])
        XCTAssertEqual(outcome(of: Values(1...3).contains { $0 > 3 }).values, [false])
        XCTAssertEqual(outcome(of: Values(1...3).tryContains { $0 > 2 }).values, [true])
        XCTAssertEqual(outcome(of: Values(1...3).tryContains { $0 > 3 }).values, [false])
        XCTAssertEqual(outcome(of: Values([Int]()).contains(1)).values, [false])
    }

    func test_cancelsUpstreamAsSoonAsTheAnswerIsKnown() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Bool, TestFailure>.checked(.first(1))
        upstream.contains(2).subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 0)
        upstream.send(2)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [true])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Contains") { $0.contains(3) }
        checkFold(name: "ContainsWhere") { $0.contains { $0 == 3 } }
        checkFold(name: "TryContainsWhere") { $0.tryContains { $0 == 3 } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryContainsWhere") { upstream, closure in upstream.tryContains { try closure($0) > 5 } }
    }
}
