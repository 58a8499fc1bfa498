import HeadgateCombine
import TestSupport
import XCTest

final class EmptyTests: XCTestCase {
    func test_finishesAtOnceWithoutDemand() {
        let recorder = Recorder<Int, TestFailure>()
        Empty().subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_saysNothingForEverIfToldSo() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        Empty(completeImmediately: false).subscribe(recorder)
        recorder.request(3)
        recorder.cancel()
        XCTAssertEqual(recorder.events, [.subscription("Empty")])
    }

    func test_takesItsTypesFromArguments() {
        let publisher = Empty(outputType: Int.self, failureType: TestFailure.self)
        XCTAssertTrue(publisher.completeImmediately)
        XCTAssertEqual(publisher, Empty<Int, TestFailure>())
        XCTAssertNotEqual(publisher, Empty(completeImmediately: false))
    }

    func test_letsGoOfItsSubscriber() {
        assertLetsGo(endings: [.completion, .drop]) { _ in Empty<Int, Never>() }
        assertLetsGo(endings: [.cancel, .drop]) { _ in Empty<Int, Never>(completeImmediately: false) }
    }
}
