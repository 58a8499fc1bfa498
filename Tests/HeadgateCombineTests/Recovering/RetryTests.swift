import HeadgateCombine
import TestSupport
import XCTest

final class RetryTests: XCTestCase {
    func test_triesAsOftenAsAllowedAndThenFails() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.retry(2).subscribe(recorder)
        XCTAssertEqual(recorder.events.first, .subscription("Retry"))
        for value in 1...3 {
            upstream.send(value)
            upstream.send(completion: .failure(.first))
        }
        XCTAssertEqual(upstream.subscriptionCount, 3)
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksTheNextAttemptForWhatTheLastHasNotServed() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(5))
        upstream.retry(1).subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(upstream.calls, [.request(.max(5)), .request(.max(3))])
    }

    func test_aNewSubscriberHasAllAttempts() {
        let upstream = HandPublisher<Int, TestFailure>()
        let retried = upstream.retry(1)
        for _ in 0..<2 {
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            retried.subscribe(recorder)
            upstream.send(completion: .failure(.first))
            XCTAssertNil(recorder.completion)
            upstream.send(completion: .failure(.second))
            XCTAssertEqual(recorder.failure, .second)
        }
        XCTAssertEqual(upstream.subscriptionCount, 4)
    }

    func test_manyAttemptsThatFailAtOnceAreFlat() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        FailsAtOnce().retry(100_000).subscribe(recorder)
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_goesOnForEverWithoutALimitAndCanBeCancelled() {
        var attempts = 0
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        let source = Attempts { () -> FailsAtOnce in
            attempts += 1
            if attempts == 1_000 { recorder.cancel() }
            return FailsAtOnce()
        }
        Publishers.Retry(upstream: source, retries: nil).subscribe(recorder)
        XCTAssertEqual(attempts, 1_000)
        XCTAssertNil(recorder.completion)
    }

    func test_letsGoOfEverythingAtTheEndAndAtCancel() {
        for end in 0..<3 {
            let upstream = HandPublisher<Int, TestFailure>()
            var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited)
            weak let weakRecorder = recorder
            recorder.map { upstream.retry(1).subscribe($0) }
            upstream.send(completion: .failure(.first))
            switch end {
            case 0: upstream.finish()
            case 1: upstream.send(completion: .failure(.second))
            default: recorder?.cancel()
            }
            recorder = nil
            XCTAssertNil(weakRecorder)
            XCTAssertNil(upstream.lastSubscription)
            XCTAssertFalse(upstream.isConnected)
        }
    }
}
