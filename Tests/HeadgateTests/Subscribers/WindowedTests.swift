import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class WindowedTests: XCTestCase {
    func test_requestsAWindowAndHalfOfItAgain() {
        let upstream = TestPublisher<Int, Never>()
        var values: [Int] = []
        let window = Subscribers.Windowed<Int, Never>(size: 4) { values.append($0) }
        upstream.subscribe(window)
        (1...4).forEach { upstream.send($0) }
        XCTAssertEqual(
            upstream.calls, [.request(.max(4)), .answer(.max(2)), .answer(.max(2))])
        window.cancel()
        upstream.send(5)
        XCTAssertEqual(values, [1, 2, 3, 4])
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_takesAMillionOneByOneAndReceivesTheEnd() {
        for size in [1, 2, 3, .max] {
            var count = 0
            var hasFinished = false
            let window = Subscribers.Windowed<Int, Never>(
                size: size, receiveCompletion: { _ in hasFinished = true }, receiveValue: { _ in count += 1 })
            (0..<100_000).publisher.subscribe(window)
            XCTAssertEqual(count, 100_000)
            XCTAssertTrue(hasFinished)
        }
    }

    func test_keepsToTheContract() {
        let verification = verify(
            subscriber: Subscribers.Windowed<Int, VerificationFailure>(size: 2) { _ in }, values: Array(1...5),
            failure: .upstreamFailed)
        XCTAssertTrue(verification.isConforming, "\(verification)")
    }
}
