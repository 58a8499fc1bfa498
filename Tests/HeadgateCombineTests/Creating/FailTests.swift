import HeadgateCombine
import TestSupport
import XCTest

final class FailTests: XCTestCase {
    func test_failsAtOnceWithoutDemand() {
        let recorder = Recorder<Int, TestFailure>()
        Fail(error: .second).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.failure(.second))])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_takesItsOutputTypeFromAnArgument() {
        let publisher = Fail(outputType: Int.self, failure: TestFailure.first)
        XCTAssertEqual(publisher, Fail(error: .first))
        XCTAssertNotEqual(publisher, Fail(error: .second))
    }

    func test_letsGoOfItsSubscriber() {
        assertLetsGo(endings: [.completion, .drop]) { _ in Fail<Int, TestFailure>(error: .first) }
    }
}
