import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class SetFailureTypeTests: XCTestCase {
    func test_forwardsEverythingAsAStreamThatMightFail() {
        let subscriber: TestSubscriber<Int, TestFailure> = outcome(
            of: Values(1...2).setFailureType(to: TestFailure.self))
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("1...2"), .request(.max(1)), .value(1), .answer(.max(1)), .value(2), .answer(.max(1)),
                .completion(.finished),
            ])
    }

    func test_forwardsDemandAndCancel() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.setFailureType(to: TestFailure.self).subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .cancel])
    }

    func test_settingTheTypeTwiceIsSettingItOnce() {
        let twice: Publishers.SetFailureType<Values<ClosedRange<Int>>, any Error> =
            Values(1...2).setFailureType(to: TestFailure.self).setFailureType(to: (any Error).self)
        XCTAssertEqual(outcome(of: twice).values, [1, 2])
    }
}
