import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ReplaceEmptyTests: XCTestCase {
    func test_publishesTheValueWhereThereIsNone() {
        let subscriber = outcome(of: Values([Int]()).replaceEmpty(with: 7))
        XCTAssertEqual(
            subscriber.events,
            [.subscription("ReplaceEmpty"), .request(.max(1)), .value(7), .answer(.max(1)), .completion(.finished)])
    }

    func test_publishesNothingOfItsOwnAfterOtherValues() {
        let subscriber = outcome(of: Values([1, 2]).replaceEmpty(with: 7))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheValueUntilItIsRequested() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.replaceEmpty(with: 7).subscribe(subscriber)
        upstream.finish()
        XCTAssertEqual(subscriber.events, [.subscription("ReplaceEmpty")])
        subscriber.request(.none)
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [7])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesNothingAfterCancel() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.replaceEmpty(with: 7).subscribe(subscriber)
        upstream.finish()
        let subscription = subscriber.subscription
        subscriber.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(subscriber.events, [.subscription("ReplaceEmpty"), .cancel])
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_doesNotFinishWhenCancelledFromInsideItsOwnValue() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, _ in
            subscriber.cancel()
            return .none
        }
        Values([Int]()).replaceEmpty(with: 7).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("ReplaceEmpty"), .request(.max(1)), .value(7), .cancel])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.replaceEmpty(with: 0) }
    }
}
