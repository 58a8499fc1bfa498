import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class OnBackpressureTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_reportsEveryValueThatWasNotRequested() {
        let upstream = Hand()
        var dropped: [Int] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.onBackpressureDrop { dropped.append($0) }.subscribe(subscriber)
        (1...3).forEach { upstream.send($0) }
        subscriber.request(.max(1))
        upstream.send(4)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [1, 4])
        XCTAssertEqual(dropped, [2, 3])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_everyPolicyIsKeptAtTheLimit() {
        let policies: [(Publishers.BufferingStrategy<TestFailure>, kept: [Int], dropped: [Int])] = [
            (.dropNewest, [1, 2], [3, 4]), (.dropOldest, [3, 4], [1, 2]), (.customError { .second }, [1, 2], [3]),
        ]
        for (policy, kept, expected) in policies {
            let upstream = Hand()
            var dropped: [Int] = []
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
            upstream.onBackpressureBuffer(limit: 2, whenFull: policy) { dropped.append($0) }.subscribe(subscriber)
            (1...4).forEach { upstream.send($0) }
            upstream.finish()
            subscriber.request(.unlimited)
            XCTAssertEqual(subscriber.values, kept)
            XCTAssertEqual(dropped, expected)
            XCTAssertEqual(subscriber.failure, kept == [1, 2] && expected == [3] ? .second : nil)
            XCTAssertNotNil(subscriber.completion)
        }
    }

    func test_whatIsKeptForTooLongIsDroppedAtItsTime() {
        let scheduler = TestScheduler()
        let upstream = Hand()
        var dropped: [String] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
        upstream.onBackpressureBuffer(
            limit: 10, whenFull: .dropOldest, onDrop: { dropped.append("\($0) at \(scheduler.now)") },
            expiry: .seconds(2), scheduler: scheduler
        )
        .subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: .seconds(1))
        upstream.send(2)
        XCTAssertEqual(scheduler.unfinished.count, 1, "one job at a time")
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(dropped, ["1 at 2s"])
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(dropped, ["1 at 2s", "2 at 3s"])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_expiryMayBeNothingOrForEver() {
        for (expiry, expected) in [(TestTime.Stride.zero, []), (.nanoseconds(.max), [1]), (.seconds(-1), [])] {
            let scheduler = TestScheduler()
            scheduler.advance(by: .seconds(1))
            let upstream = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
            upstream.onBackpressureBuffer(
                limit: 10, whenFull: .dropOldest, expiry: expiry, scheduler: scheduler
            )
            .subscribe(subscriber)
            upstream.send(1)
            scheduler.advance(by: .seconds(1000))
            subscriber.request(.unlimited)
            XCTAssertEqual(subscriber.values, expected)
        }
    }

    func test_aDropMayCancel() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
        upstream.onBackpressureBuffer(limit: 1, whenFull: .dropOldest) { _ in subscriber.cancel() }
            .subscribe(subscriber)
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
