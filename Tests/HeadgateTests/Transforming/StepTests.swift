import Headgate
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

extension Publisher {
    fileprivate func neighbours() -> some Publisher<(Output, Output), Failure> {
        step(state: Output?.none) { previous, value -> (Output, Output)? in
            defer { previous = value }
            return previous.map { ($0, value) }
        }
    }
}

extension Publisher where Output == Int {
    fileprivate func upTo(sum limit: Int) -> some Publisher<Int, Failure> {
        step(state: 0) { sum, value -> Publishers.StepResult<Int, Failure> in
            sum += value
            return sum < limit ? .next(value) : .last(value)
        }
    }
}

final class StepTests: XCTestCase {
    func test_pairwiseTakesSixLinesAndHoldsTheContract() {
        let verification = verify(
            operator: { (upstream: TestPublisher<Int, VerificationFailure>) in upstream.neighbours().map { "\($0)" } },
            [.endsWithUpstream, .transparent])
        XCTAssertTrue(verification.isConforming, "\(verification)")
    }

    func test_everySubscriberBeginsWithTheState() {
        let pairs = (1...3).publisher.neighbours()
        for _ in 1...2 {
            var sums: [Int] = []
            let listener = pairs.sink { sums.append($0 + $1) }
            XCTAssertEqual(sums, [3, 5])
            withExtendedLifetime(listener) {}
        }
    }

    func test_requestsAnotherForWhatIsDropped() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.neighbours().map { $0 + $1 }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [3])
        XCTAssertEqual(upstream.requested, .max(2))
    }

    func test_endsAndCancelsUpstreamWhereTheClosureSaysSo() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.upTo(sum: 3).subscribe(subscriber)
        (1...5).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
