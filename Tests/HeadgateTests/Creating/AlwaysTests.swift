import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AlwaysTests: XCTestCase {
    func test_repeatsItsValueAsOftenAsIsRequested() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        Always(7).subscribe(subscriber)
        XCTAssertEqual(subscriber.received, [.subscription("Always"), .value(7), .value(7)])
        subscriber.request(.none)
        subscriber.request(3)
        XCTAssertEqual(subscriber.values.count, 5)
        XCTAssertNil(subscriber.completion)
    }

    func test_stopsAtOnceWhenCancelledFromInsideADelivery() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited) { subscriber, _ in
            if subscriber.values.count == 3 { subscriber.cancel() }
        }
        Always(7).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [7, 7, 7])
    }

    func test_servesAMillionRequestsFromInsideDeliveriesWithoutGrowingTheStack() {
        var count = 0
        var subscription: (any Subscription)?
        Always(7).subscribe(
            AnySubscriber(
                receiveSubscription: {
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: { _ in
                    count += 1
                    if count == 1_000_000 { subscription?.cancel() } else { subscription?.request(.max(1)) }
                    return .none
                }))
        XCTAssertEqual(count, 1_000_000)
    }

    func test_isTheEndlessSideOfAZip() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        [1, 2, 3, 4].publisher.zip(Always(2)).map { Int(repeatElement($0, count: $1).reduce(1, *)) }.subscribe(
            subscriber)
        XCTAssertEqual(subscriber.values, [1, 4, 9, 16])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isEndedByAPrefix() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Always(1).prefix(1).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isEqualWhereItsValueIs() {
        XCTAssertEqual(Always(1), Always(1))
        XCTAssertNotEqual(Always(1), Always(2))
    }

    func test_releasesValueAndSubscriber() {
        assertReleases(endings: [.cancel, .cancelInsideDelivery, .drop]) { Always($0) }
    }
}
