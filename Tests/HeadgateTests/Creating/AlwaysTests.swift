import Headgate
import TestSupport
import XCTest

final class AlwaysTests: XCTestCase {
    func test_repeatsItsValueAsOftenAsIsAsked() {
        let recorder = Recorder<Int, Never>(demand: .max(2))
        Always(7).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Always"), .value(7), .value(7)])
        recorder.request(.none)
        recorder.request(3)
        XCTAssertEqual(recorder.values.count, 5)
        XCTAssertNil(recorder.completion)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_stopsAtOnceWhenCancelledFromInsideADelivery() {
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            if recorder.values.count == 3 { recorder.cancel() }
            return .none
        }
        Always(7).subscribe(recorder)
        XCTAssertEqual(recorder.values, [7, 7, 7])
        XCTAssertEqual(recorder.breaches, [])
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
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        [1, 2, 3, 4].publisher.zip(Always(2)).map { Int(repeatElement($0, count: $1).reduce(1, *)) }.subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 4, 9, 16])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_isEndedByAPrefix() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        Always(1).prefix(1).subscribe(recorder)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_isEqualWhereItsValueIs() {
        XCTAssertEqual(Always(1), Always(1))
        XCTAssertNotEqual(Always(1), Always(2))
    }

    func test_letsGoOfValueAndSubscriber() {
        assertLetsGo(endings: [.cancel, .cancelInsideDelivery, .drop]) { Always($0) }
    }
}
