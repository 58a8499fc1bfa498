import HeadgateCombine
import TestSupport
import XCTest

final class DeferredTests: XCTestCase {
    func test_makesAPublisherForEachSubscriberAndNoneBefore() {
        var made = 0
        let publisher = Deferred { () -> Just<Int> in
            made += 1
            return Just(made)
        }
        XCTAssertEqual(made, 0)
        for number in 1...3 {
            let recorder = Recorder<Int, Never>(demand: .unlimited)
            publisher.subscribe(recorder)
            XCTAssertEqual(recorder.events, [.subscription("Just"), .value(number), .completion(.finished)])
        }
    }

    func test_passesDemandFailureAndCancelOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(2))
        let publisher = Deferred { upstream }
        publisher.subscribe(recorder)
        recorder.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .cancel])
        let other = Recorder<Int, TestFailure>()
        publisher.subscribe(other)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(other.failure, .first)
    }

    func test_letsGoOfPublisherAndSubscriber() {
        assertLetsGo { tracked in Deferred { Just(tracked) } }
    }
}
