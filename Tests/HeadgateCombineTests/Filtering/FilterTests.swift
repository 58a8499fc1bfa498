import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class FilterTests: XCTestCase {
    func test_publishesWhatTheClosureAccepts() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Values(1...6).filter { $0.isMultiple(of: 2) }.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("1...6"), .request(.unlimited), .value(2), .value(4), .value(6), .completion(.finished)])
    }

    func test_requestsOneMoreForEachValueDropped() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.filter { $0.isMultiple(of: 2) }.subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
        XCTAssertEqual(subscriber.values, [2])
    }

    func test_forwardsFailure() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.filter { _ in true }.subscribe(subscriber)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.filter { _ in true } }
        checkStep { $0.tryFilter { _ in true } }
    }

    func test_isTransparentInALog() {
        XCTAssertEqual(shownName { $0.filter { _ in true } }, "TestPublisher")
    }

    func test_tryFilterFailsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryFilter") { upstream, closure in upstream.tryFilter { try closure($0) > 0 } }
    }

    func test_readsOnThroughManyValuesDroppedWithoutGrowingTheStack() {
        let found = outcome(of: Values(1...100_000).filter { $0 == 100_000 })
        XCTAssertEqual(found.values, [100_000])
    }

    func test_filtersInARowAreOneFilter() {
        let even: Publishers.Filter<Values<ClosedRange<Int>>> =
            Values(1...12).filter { $0.isMultiple(of: 2) }.filter { $0.isMultiple(of: 3) }
        XCTAssertEqual(outcome(of: even).values, [6, 12])
        let tries: Publishers.TryFilter<Values<ClosedRange<Int>>> =
            Values(1...12).filter { $0 > 1 }.tryFilter { $0 < 9 }.filter { $0 > 4 }.tryFilter { $0 < 7 }
        XCTAssertEqual(outcome(of: tries).values, [5, 6])
    }

    func test_theSecondOfTwoFiltersIsNotCalledWhereTheFirstRefuses() {
        let subscriber = outcome(of: Values([1, 2]).filter { $0 == 2 }.tryFilter { $0 == 1 ? try self.fail() : true })
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    private func fail() throws -> Bool { throw TestFailure.first }
}
