import HeadgateCombine
import TestSupport
import XCTest

final class JustTests: XCTestCase {
    func test_publishesItsValueAndFinishesBehindIt() {
        let recorder = Recorder<Int, Never>(demand: .max(1))
        Just(7).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Just"), .value(7), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_waitsForDemandAndIgnoresDemandOfNone() {
        let recorder = Recorder<Int, Never>()
        Just(7).subscribe(recorder)
        recorder.request(.none)
        XCTAssertEqual(recorder.events, [.subscription("Just")])
        recorder.request(1)
        XCTAssertEqual(recorder.values, [7])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_publishesOnceHoweverOftenItIsAsked() {
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.request(.unlimited)
            return .max(3)
        }
        Just(7).subscribe(recorder)
        recorder.request(2)
        XCTAssertEqual(recorder.values, [7])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_saysNothingAfterCancel() {
        let recorder = Recorder<Int, Never>()
        Just(7).subscribe(recorder)
        let subscription = recorder.subscription
        recorder.cancel()
        subscription?.request(.unlimited)
        XCTAssertEqual(recorder.events, [.subscription("Just")])
    }

    func test_doesNotFinishWhenCancelledFromInsideTheDelivery() {
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        Just(7).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Just"), .value(7)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfValueAndSubscriberHoweverItEnds() {
        assertLetsGo { Just($0) }
    }

    func test_isEqualWhereItsValueIs() {
        XCTAssertEqual(Just(1), Just(1))
        XCTAssertNotEqual(Just(1), Just(2))
    }
}
