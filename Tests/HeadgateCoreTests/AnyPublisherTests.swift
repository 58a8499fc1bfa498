import HeadgateCore
import TestSupport
import XCTest

final class AnyPublisherTests: XCTestCase {
    func test_passesEverythingOnInBothDirections() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(2)) { _, _ in .max(1) }
        AnyPublisher(upstream).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        recorder.request(3)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            recorder.events, [.subscription("HandPublisher"), .value(1), .completion(.failure(.first))])
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(3))])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesCancelOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(2))
        upstream.eraseToAnyPublisher().subscribe(recorder)
        recorder.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_servesEverySubscriber() {
        let upstream = HandPublisher<Int, TestFailure>()
        let publisher = upstream.eraseToAnyPublisher()
        for _ in 0..<3 { publisher.subscribe(Recorder()) }
        XCTAssertEqual(upstream.subscriptionCount, 3)
    }

    func test_isErasedAgainWithoutAnotherLayer() {
        var publisher = HandPublisher<Int, TestFailure>().eraseToAnyPublisher()
        for _ in 0..<100_000 { publisher = AnyPublisher(publisher).eraseToAnyPublisher() }
        let recorder = Recorder<Int, TestFailure>()
        publisher.subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("HandPublisher")])
    }

    func test_keepsItsPublisherAliveAndLetsGoOfItsSubscriber() {
        weak var weakUpstream: HandPublisher<Int, TestFailure>?
        weak var weakRecorder: Recorder<Int, TestFailure>?
        do {
            let publisher: AnyPublisher<Int, TestFailure>
            do {
                let upstream = HandPublisher<Int, TestFailure>()
                weakUpstream = upstream
                publisher = upstream.eraseToAnyPublisher()
            }
            let recorder = Recorder<Int, TestFailure>()
            weakRecorder = recorder
            publisher.subscribe(recorder)
            XCTAssertNotNil(weakUpstream)
            recorder.cancel()
        }
        XCTAssertNil(weakUpstream)
        XCTAssertNil(weakRecorder)
    }

    func test_isDescribed() {
        let publisher = HandPublisher<Int, TestFailure>().eraseToAnyPublisher()
        XCTAssertEqual("\(publisher)", "AnyPublisher")
        XCTAssertEqual(publisher.playgroundDescription as? String, "AnyPublisher")
    }
}
