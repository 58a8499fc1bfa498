import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class OptionalTests: XCTestCase {
    func test_publishesTheValueOnDemandAndFinishesAfterIt() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        Optional(7).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Optional")])
        subscriber.request(1)
        XCTAssertEqual(
            subscriber.events, [.subscription("Optional"), .request(.max(1)), .value(7), .completion(.finished)])
    }

    func test_finishesAtOnceWithoutAValue() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        Int("seven").publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_releasesValueAndSubscriberHoweverItEnds() {
        assertReleases { Optional($0).publisher }
    }

    func test_isEqualWhereTheOptionalIs() {
        XCTAssertEqual(Optional(1).publisher, Optional.Publisher(1))
        XCTAssertNotEqual(Optional(1).publisher, Optional.Publisher(nil))
        XCTAssertEqual(Optional<Int>.Publisher(1).output, 1)
    }

    func test_canBeExtended() {
        XCTAssertTrue(Optional(1).publisher.isMarked)
    }
}

private protocol Marked {}

extension Marked {
    var isMarked: Bool { true }
}

extension Optional.Publisher: Marked {}
