import HeadgateCombine
import TestSupport
import XCTest

final class AssertNoFailureTests: XCTestCase {
    func test_passesEverythingOnAsAStreamThatCannotFail() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, Never>(demand: .max(2))
        upstream.assertNoFailure().subscribe(recorder)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(
            recorder.events, [.subscription("HandPublisher"), .value(1), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
    }

    func test_namesThePlaceWhereItStands() {
        let publisher = HandPublisher<Int, TestFailure>().assertNoFailure("prefix")
        XCTAssertEqual(publisher.prefix, "prefix")
        XCTAssertEqual("\(publisher.file)", "\(#file)")
        XCTAssertEqual(publisher.line, #line - 3)
    }
}
