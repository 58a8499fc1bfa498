import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class CompactMapTests: XCTestCase {
    func test_dropsWhereTheClosureMakesNothing() {
        XCTAssertEqual(outcome(of: Values(["1", "a", "3"]).compactMap { Int($0) }).values, [1, 3])
        XCTAssertEqual(outcome(of: Values(["1", "a", "3"]).tryCompactMap { Int($0) }).values, [1, 3])
    }

    func test_unwrapDropsNil() {
        let unwrapped: Publishers.CompactMap<Values<[Int?]>, Int> = Values([1, nil, 3]).unwrap()
        XCTAssertEqual(outcome(of: unwrapped).values, [1, 3])
    }

    func test_requestsOneMoreForEachValueDropped() {
        let upstream = TestPublisher<Int?, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.unwrap().subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: nil), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.compactMap { $0 } }
        checkStep { $0.tryCompactMap { $0 } }
    }

    func test_isTransparentInALog() {
        XCTAssertEqual(shownName { $0.compactMap { $0 } }, "TestPublisher")
    }

    func test_tryCompactMapFailsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryCompactMap") { upstream, closure in upstream.tryCompactMap(closure) }
    }

    func test_compactMapsInARowAreOneCompactMap() {
        let row: Publishers.CompactMap<Values<[String]>, Int> =
            Values(["1", "a", "30"]).compactMap { Int($0) }.compactMap { $0 > 1 ? $0 : nil }.map { $0 + 1 }
        XCTAssertEqual(outcome(of: row).values, [31])
        let tries: Publishers.TryCompactMap<Values<[String]>, Int> =
            Values(["1", "a", "30"]).tryCompactMap { Int($0) }.compactMap { $0 > 1 ? $0 : nil }
        XCTAssertEqual(outcome(of: tries).values, [30])
    }
}
