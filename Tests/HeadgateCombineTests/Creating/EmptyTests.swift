import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class EmptyTests: XCTestCase {
    func test_finishesAtOnceWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Empty().subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_staysSilentForeverIfConfigured() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Empty(completeImmediately: false).subscribe(subscriber)
        subscriber.request(3)
        subscriber.cancel()
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .request(.unlimited), .request(.max(3)), .cancel])
    }

    func test_takesItsTypesFromArguments() {
        let publisher = Empty(outputType: Int.self, failureType: TestFailure.self)
        XCTAssertTrue(publisher.completeImmediately)
        XCTAssertEqual(publisher, Empty<Int, TestFailure>())
        XCTAssertNotEqual(publisher, Empty(completeImmediately: false))
    }

    func test_releasesItsSubscriber() {
        assertReleases(endings: [.completion, .drop]) { _ in Empty<Int, Never>() }
        assertReleases(endings: [.cancel, .drop]) { _ in Empty<Int, Never>(completeImmediately: false) }
    }
}
