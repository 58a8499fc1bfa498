import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PausableSinkTests: XCTestCase {
    func test_requestsOneByOneAndPausesOnRequest() {
        let upstream = TestPublisher<Int, Never>()
        var values: [Int] = []
        let reader = upstream.pausableSink { value in
            values.append(value)
            return value != 2
        }
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        XCTAssertFalse(reader.paused)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertTrue(reader.paused)
        reader.resume()
        reader.resume()
        XCTAssertFalse(reader.paused)
        XCTAssertEqual(
            upstream.calls, [.request(.max(1)), .answer(.max(1)), .request(.max(1))], "resuming twice requests once")
        XCTAssertEqual(upstream.answer(to: 3), .max(1))
        XCTAssertEqual(values, [1, 2, 3])
        reader.cancel()
        reader.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aSequenceWaitsDuringThePause() {
        var values: [Int] = []
        var hasFinished = false
        let reader = (1...4).publisher.pausableSink(
            receiveCompletion: { _ in hasFinished = true },
            receiveValue: {
                values.append($0)
                return $0 != 2
            })
        XCTAssertEqual(values, [1, 2])
        XCTAssertFalse(hasFinished)
        reader.resume()
        XCTAssertEqual(values, [1, 2, 3, 4])
        XCTAssertTrue(hasFinished)
        XCTAssertFalse(reader.paused)
    }

    func test_reportsAFailureWhilePaused() {
        let upstream = TestPublisher<Int, TestFailure>()
        var completions: [Subscribers.Completion<TestFailure>] = []
        let reader = upstream.pausableSink(
            receiveCompletion: { completions.append($0) }, receiveValue: { _ in false })
        upstream.send(1)
        XCTAssertTrue(reader.paused)
        upstream.fail(.first)
        XCTAssertEqual(completions, [.failure(.first)])
        XCTAssertFalse(reader.paused)
        reader.resume()
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
    }

    func test_resumeFromInsideTheDeliveryOutweighsThePause() {
        let subject = PassthroughSubject<Int, Never>()
        var values: [Int] = []
        var reader: (any Pausable & Cancellable)?
        reader = subject.pausableSink { value in
            values.append(value)
            reader?.resume()
            return false
        }
        (1...3).forEach(subject.send)
        XCTAssertEqual(values, [1, 2, 3])
        XCTAssertEqual(reader?.paused, false)
        reader?.cancel()
    }

    func test_resumeBeforeAnyValueChangesNothing() {
        let upstream = TestPublisher<Int, Never>()
        let reader = upstream.pausableSink { _ in false }
        reader.resume()
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        upstream.send(1)
        XCTAssertTrue(reader.paused)
    }

    func test_cancelFromInsideStopsAtOnceAndAnswersNothing() {
        let subject = PassthroughSubject<Int, Never>()
        var values: [Int] = []
        var reader: (any Pausable & Cancellable)?
        reader = subject.pausableSink { value in
            values.append(value)
            reader?.cancel()
            return true
        }
        (1...3).forEach(subject.send)
        XCTAssertEqual(values, [1])
    }

    func test_cancelsAndReleasesItsClosuresWhenReleased() {
        let before = Tracked.count
        let upstream = TestPublisher<Int, Never>()
        let tracked = Tracked()
        _ = upstream.pausableSink { _ in
            _ = tracked
            return true
        }
        XCTAssertEqual(upstream.cancelCount, 1)
        _ = consume tracked
        XCTAssertEqual(Tracked.count, before)
    }

    func test_resumeFromOtherThreadsLosesNoValue() {
        var values: [Int] = []
        var hasFinished = false
        let reader = (0..<1_000).publisher.pausableSink(
            receiveCompletion: { _ in hasFinished = true },
            receiveValue: {
                values.append($0)
                return false
            })
        onThreads(4) { _ in
            for _ in 0..<2_000 { reader.resume() }
        }
        while !hasFinished { reader.resume() }
        XCTAssertEqual(values, Array(0..<1_000))
    }
}
