import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class AssertNoFailureTests: XCTestCase {
    func test_forwardsEverythingAsAStreamThatCannotFail() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        upstream.assertNoFailure().subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(
            subscriber.events, [.subscription("TestPublisher"), .request(.max(2)), .value(1), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
    }

    func test_namesThePlaceWhereItStands() {
        let publisher = TestPublisher<Int, TestFailure>().assertNoFailure("prefix")
        XCTAssertEqual(publisher.prefix, "prefix")
        XCTAssertEqual("\(publisher.file)", "\(#file)")
        XCTAssertEqual(publisher.line, #line - 3)
    }
}
