import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MapTests: XCTestCase {
    func test_publishesWhatTheClosureMakes() {
        XCTAssertEqual(outcome(of: Values(1...3).map { $0 * 10 }).values, [10, 20, 30])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.map { $0 } }
        checkStep { $0.tryMap { $0 } }
    }

    func test_isTransparentInALog() {
        XCTAssertEqual(shownName { $0.map { $0 } }, "TestPublisher")
    }

    func test_tryMapFailsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryMap") { upstream, closure in upstream.tryMap(closure) }
    }

    func test_forwardsManyValuesWithoutGrowingTheStack() {
        var sum = 0
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, value in
            sum += value
            return .max(1)
        }
        Values(1...100_000).map { $0 }.subscribe(subscriber)
        XCTAssertEqual(sum, 5_000_050_000)
    }

    func test_mapsInARowAreOneMap() {
        let maps: Publishers.Map<Values<ClosedRange<Int>>, String> =
            Values(1...2).map { $0 + 1 }.map { "\($0)" }
        XCTAssertEqual(outcome(of: maps).values, ["2", "3"])
        let tries: Publishers.TryMap<Values<ClosedRange<Int>>, Int> =
            Values(1...2).map { $0 + 1 }.tryMap { $0 * 10 }.map { $0 + 1 }.tryMap { $0 * 2 }
        XCTAssertEqual(outcome(of: tries).values, [42, 62])
    }

    func test_theSecondOfTwoMapsIsNotCalledWhereTheFirstThrows() {
        var calls = 0
        let subscriber = outcome(
            of: Values(1...2).tryMap { _ -> Int in throw TestFailure.first }.map {
                calls += 1
                return $0
            })
        XCTAssertEqual(subscriber.failure as? TestFailure, .first)
        XCTAssertEqual(calls, 0)
    }
}
