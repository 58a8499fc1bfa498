import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class JustTests: XCTestCase {
    func test_publishesItsValueAndFinishesAfterIt() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        Just(7).subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events, [.subscription("Just"), .request(.max(1)), .value(7), .completion(.finished)])
    }

    func test_waitsForDemandAndIgnoresDemandOfNone() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        Just(7).subscribe(subscriber)
        subscriber.request(.none)
        XCTAssertEqual(subscriber.events, [.subscription("Just"), .request(.none)])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [7])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesOnceHoweverMuchIsRequested() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, _ in
            subscriber.request(.unlimited)
            return .max(3)
        }
        Just(7).subscribe(subscriber)
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [7])
    }

    func test_isSilentAfterCancel() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        Just(7).subscribe(subscriber)
        let subscription = subscriber.subscription
        subscriber.cancel()
        subscription?.request(.unlimited)
        XCTAssertEqual(subscriber.events, [.subscription("Just"), .cancel])
    }

    func test_doesNotFinishWhenCancelledFromInsideTheDelivery() {
        let subscriber = TestSubscriber<Int, Never>.checked(.cancelling(atValue: 1))
        Just(7).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Just"), .request(.unlimited), .value(7), .cancel])
    }

    func test_releasesValueAndSubscriberHoweverItEnds() {
        assertReleases { Just($0) }
    }

    func test_isEqualWhereItsValueIs() {
        XCTAssertEqual(Just(1), Just(1))
        XCTAssertNotEqual(Just(1), Just(2))
    }
}
