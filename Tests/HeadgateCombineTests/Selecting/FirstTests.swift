import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class FirstTests: XCTestCase {
    func test_publishesTheFirstValue() {
        XCTAssertEqual(outcome(of: Values(1...3).first()).values, [1])
        XCTAssertEqual(outcome(of: Values(1...3).first { $0 > 1 }).values, [2])
        XCTAssertEqual(outcome(of: Values(1...3).tryFirst { $0 > 1 }).values, [2])
    }

    func test_finishesWithoutAValueWhereThereIsNone() {
        XCTAssertEqual(outcome(of: Values([Int]()).first()).values, [])
        XCTAssertTrue(outcome(of: Values([Int]()).first()).hasFinished)
        XCTAssertTrue(outcome(of: Values(1...3).first { $0 > 3 }).hasFinished)
    }

    func test_cancelsUpstreamAsSoonAsTheValueHasCome() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.first { $0 == 2 }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 0)
        upstream.send(2)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_endsAnEndlessStream() {
        XCTAssertEqual(outcome(of: Values(sequence(first: 1) { $0 + 1 }).first { $0 > 1000 }).values, [1001])
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "First") { $0.first() }
        checkFold(name: "TryFirst") { $0.first { $0 == 3 } }
        checkFold(name: "TryFirstWhere") { $0.tryFirst { $0 == 3 } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryFirstWhere") { upstream, closure in upstream.tryFirst { try closure($0) > 5 } }
    }
}
