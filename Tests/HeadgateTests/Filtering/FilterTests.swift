import Headgate
import TestSupport
import XCTest

final class FilterTests: XCTestCase {
    func test_publishesWhatTheClosureAccepts() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        (1...6).publisher.filter { $0.isMultiple(of: 2) }.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("1...6"), .value(2), .value(4), .value(6), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksUpstreamForOneMoreForEachValueLeftOut() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.filter { $0.isMultiple(of: 2) }.subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        XCTAssertEqual(upstream.send(2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        XCTAssertEqual(recorder.values, [2])
    }

    func test_passesFailureOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.filter { _ in true }.subscribe(recorder)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.failure, .first)
    }
}
