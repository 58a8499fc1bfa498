import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class AllSatisfyTests: XCTestCase {
    func test_publishesWhetherAllValuesAreSuch() {
        XCTAssertEqual(outcome(of: Values(1...3).allSatisfy { $0 > 0 }).values, [true])
        XCTAssertEqual(outcome(of: Values(1...3).allSatisfy { $0 > 1 }).values, [false])
        XCTAssertEqual(outcome(of: Values(1...3).tryAllSatisfy { $0 > 0 }).values, [true])
        XCTAssertEqual(outcome(of: Values(1...3).tryAllSatisfy { $0 > 1 }).values, [false])
        XCTAssertEqual(outcome(of: Values([Int]()).allSatisfy { _ in false }).values, [true])
    }

    func test_cancelsUpstreamAsSoonAsTheAnswerIsKnown() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Bool, TestFailure>.checked(.first(1))
        upstream.allSatisfy { $0 < 2 }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 0)
        upstream.send(2)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [false])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "AllSatisfy") { $0.allSatisfy { $0 < 3 } }
        checkFold(name: "TryAllSatisfy") { $0.tryAllSatisfy { $0 < 3 } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryAllSatisfy") { upstream, closure in upstream.tryAllSatisfy { try closure($0) < 5 } }
    }
}
