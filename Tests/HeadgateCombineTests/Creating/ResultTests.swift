import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ResultTests: XCTestCase {
    func test_publishesTheValueOnDemandAndFinishesAfterIt() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Result.success(7).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Once")])
        subscriber.request(1)
        XCTAssertEqual(
            subscriber.events, [.subscription("Once"), .request(.max(1)), .value(7), .completion(.finished)])
    }

    func test_failsAtOnceWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Result.failure(.first).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.failure(.first))])
    }

    func test_releasesValueAndSubscriberHoweverItEnds() {
        assertReleases { Result<Tracked, TestFailure>.success($0).publisher }
    }

    func test_isEqualWhereTheResultIs() {
        typealias IntResult = Result<Int, TestFailure>
        XCTAssertEqual(IntResult.Publisher(1), IntResult.success(1).publisher)
        XCTAssertEqual(IntResult.Publisher(TestFailure.first), IntResult.failure(.first).publisher)
        XCTAssertNotEqual(IntResult.Publisher(1), IntResult.Publisher(.first))
        XCTAssertEqual(IntResult.Publisher(1).result, .success(1))
    }

    func test_canBeExtended() {
        XCTAssertTrue(Result<Int, TestFailure>.success(1).publisher.isMarked)
    }
}

private protocol Marked {}

extension Marked {
    var isMarked: Bool { true }
}

extension Result.Publisher: Marked {}
