import HeadgateCombine
import TestSupport
import XCTest

final class PrefixWhileTests: XCTestCase {
    func test_finishesAtTheFirstValueForWhichTheClosureAnswersFalse() {
        let recorder = outcome(of: Values([1, 2, 5, 1]).prefix { $0 < 3 })
        XCTAssertEqual(
            recorder.events, [.subscription("PrefixWhile"), .value(1), .value(2), .completion(.finished)])
        let trying = outcome(of: Values([1, 2, 5, 1]).tryPrefix { $0 < 3 })
        XCTAssertEqual(trying.values, [1, 2])
        XCTAssertTrue(trying.hasFinished)
    }

    func test_cancelsUpstreamThere() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.prefix { $0 < 2 }.subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(upstream.send(2), .none)
        upstream.send(1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(recorder.values, [1])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.prefix { _ in true } }
        checkStep { $0.tryPrefix { _ in true } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryPrefixWhile") { upstream, closure in upstream.tryPrefix { try closure($0) > 0 } }
    }
}
