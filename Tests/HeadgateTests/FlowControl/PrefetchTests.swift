import Dispatch
import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class PrefetchTests: XCTestCase {
    private func requests<Output, Failure>(
        to publisher: TestPublisher<Output, Failure>
    ) -> [Subscribers.Demand] {
        publisher.calls.compactMap {
            switch $0 {
            case .request(let demand), .answer(let demand): demand
            case .cancel: nil
            }
        }
    }

    func test_requestsInStepsWhenTheTideIsLow() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.prefetch(16, low: 4).subscribe(subscriber)
        for number in 1...40 { upstream.send(number) }
        XCTAssertEqual(subscriber.values, Array(1...40))
        XCTAssertEqual(requests(to: upstream), [.max(16), .max(12), .max(12), .max(12)])
    }

    func test_keepsAtMostTheHighTide() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
        upstream.prefetch(4, low: 0).subscribe(subscriber)
        for number in 1...9 { upstream.send(number) }
        upstream.fail(.first)
        XCTAssertEqual(upstream.requested, .max(4))
        subscriber.request(.max(3))
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(3))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_oneIsTheSmallestTideAndTheGreatestIsNoLimit() {
        for high in [1, .max] {
            let subscriber = CountingSubscriber<Int, Never>()
            (0..<1_000_000).publisher.prefetch(high).subscribe(subscriber)
            XCTAssertEqual(subscriber.count, 1_000_000)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_receiveOnRequestsOnceForMany() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.receive(on: scheduler, prefetch: 4).subscribe(subscriber)
        for number in 1...4 { upstream.send(number) }
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(requests(to: upstream), [.max(4)])
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
        XCTAssertEqual(requests(to: upstream), [.max(4), .max(3)])
    }
}

final class PrefetchConcurrencyTests: XCTestCase {
    func test_receiveOnAQueueLosesNothing() {
        let done = expectation(description: "finished")
        let queue = DispatchQueue(label: "prefetch")
        let numbers = Guarded([Int]())
        let sink = (0..<10_000).publisher.receive(on: queue, prefetch: 16)
            .sink(receiveCompletion: { _ in done.fulfill() }) { number in numbers.withLock { $0.append(number) } }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(numbers.withLock { $0 }, Array(0..<10_000))
        sink.cancel()
    }
}
