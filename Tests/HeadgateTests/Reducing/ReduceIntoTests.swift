import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ReduceIntoTests: XCTestCase {
    func test_updatesOneResultAndPublishesItAtTheEnd() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<[Int: Int], TestFailure>.checked(.none)
        upstream.reduce(into: [:]) { $0[$1 % 2, default: 0] += 1 }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .unlimited)
        (1...5).forEach { upstream.send($0) }
        upstream.finish()
        XCTAssertEqual(subscriber.values, [], "it waits for demand")
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[0: 2, 1: 3]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_everySubscriberBeginsWithTheInitialResult() {
        let counted = (1...3).publisher.map { $0 }.reduce(into: [0]) { $0.append($1) }
        for _ in 1...2 {
            let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
            counted.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [[0, 1, 2, 3]])
        }
        let none = TestSubscriber<[Int], Never>.checked(.unlimited)
        Empty<Int, Never>().reduce(into: [0]) { $0.append($1) }.subscribe(none)
        XCTAssertEqual(none.values, [[0]])
    }

    func test_aFailureComesWithoutAResult() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.reduce(into: 0) { $0 += $1 }.subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
    }

    /// A result that counts how often it is copied: the buffer of an array moves with each copy that is written to.
    func test_theResultIsNotCopied() {
        nonisolated(unsafe) var moves = 0
        nonisolated(unsafe) var place: UnsafeRawPointer?
        let initial: [Int] = {
            var array: [Int] = []
            array.reserveCapacity(100)
            return array
        }()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...50).publisher.map { $0 }
            .reduce(into: initial) { sums, value in
                if sums.isEmpty { sums.reserveCapacity(100) }
                sums.append(value)
                let now = sums.withUnsafeBytes { $0.baseAddress }
                if place != nil, place != now { moves += 1 }
                place = now
            }
            .map(\.count)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [50])
        XCTAssertEqual(moves, 0)
    }
}
