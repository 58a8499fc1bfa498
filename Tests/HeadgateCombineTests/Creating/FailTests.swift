import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class FailTests: XCTestCase {
    func test_failsAtOnceWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Fail(error: .second).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.failure(.second))])
    }

    func test_takesItsOutputTypeFromAnArgument() {
        let publisher = Fail(outputType: Int.self, failure: TestFailure.first)
        XCTAssertEqual(publisher, Fail(error: .first))
        XCTAssertNotEqual(publisher, Fail(error: .second))
    }

    func test_releasesItsSubscriber() {
        assertReleases(endings: [.completion, .drop]) { _ in Fail<Int, TestFailure>(error: .first) }
    }
}
