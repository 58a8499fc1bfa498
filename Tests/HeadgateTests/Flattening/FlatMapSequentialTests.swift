import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapSequentialTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    private func make(
        _ count: Int, maxConcurrent: Int, prefetch: Int = 2, _ script: DemandScript
    ) -> (upstream: Hand, inners: [Hand], subscriber: TestSubscriber<Int, TestFailure>) {
        let upstream = Hand()
        let inners = (0..<count).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(script)
        upstream.flatMapSequential(maxConcurrent: maxConcurrent, prefetch: prefetch) { inners[$0] }
            .subscribe(subscriber)
        return (upstream, inners, subscriber)
    }

    func test_worksAtSeveralAtATimeAndKeepsTheirOrder() {
        let (upstream, inners, subscriber) = make(3, maxConcurrent: 2, .unlimited)
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(0)
        upstream.send(1)
        XCTAssertEqual(inners.map(\.requested), [.max(2), .max(2), .none])
        inners[1].send(10)
        inners[1].send(11)
        inners[1].finish()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(upstream.requested, .max(2), "the one that is done is not delivered yet")
        inners[0].send(1)
        XCTAssertEqual(subscriber.values, [1])
        inners[0].finish()
        XCTAssertEqual(subscriber.values, [1, 10, 11])
        XCTAssertEqual(upstream.requested, .max(4))
        upstream.send(2)
        upstream.finish()
        inners[2].finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsNoMoreOfEachThanIsPrefetched() {
        let (upstream, inners, subscriber) = make(2, maxConcurrent: 2, prefetch: 3, .first(1))
        upstream.send(0)
        upstream.send(1)
        for inner in inners { (1...5).forEach { inner.send($0) } }
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(inners.map(\.outstanding), [.none, .none])
        XCTAssertEqual(inners.map(\.requested), [.max(4), .max(3)])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(inners.map(\.requested), [.max(6), .max(3)])
    }

    func test_aFailureWaitsForItsPlaceAndCancelsTheOthers() {
        let (upstream, inners, subscriber) = make(3, maxConcurrent: 3, .unlimited)
        (0...2).forEach { upstream.send($0) }
        inners[1].send(10)
        inners[1].fail(.first)
        inners[2].send(20)
        XCTAssertNil(subscriber.completion)
        inners[0].send(1)
        inners[0].finish()
        XCTAssertEqual(subscriber.values, [1, 10])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(inners[2].cancelCount, 1)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aFailureOfUpstreamComesAfterWhatIsGoing() {
        let (upstream, inners, subscriber) = make(1, maxConcurrent: 2, .unlimited)
        upstream.send(0)
        upstream.fail(.first)
        inners[0].send(1)
        XCTAssertNil(subscriber.completion)
        inners[0].finish()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_cancelReachesEverything() {
        let (upstream, inners, subscriber) = make(2, maxConcurrent: 2, .cancelling(atValue: 1))
        upstream.send(0)
        upstream.send(1)
        inners[1].send(10)
        inners[0].send(1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual([upstream.cancelCount, inners[0].cancelCount, inners[1].cancelCount], [1, 1, 1])
    }

    func test_publishesWhatConcatMapPublishes() {
        for limit in [1, 2, 7, .max] {
            let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
            (0..<100).publisher.flatMapSequential(maxConcurrent: limit, prefetch: limit) { (0..<$0 % 5).publisher }
                .subscribe(subscriber)
            let reference = TestSubscriber<Int, Never>.checked(.unlimited)
            (0..<100).publisher.concatMap { (0..<$0 % 5).publisher }.subscribe(reference)
            XCTAssertEqual(subscriber.values, reference.values)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_carriesAMillionValues() {
        let subscriber = CountingSubscriber<Int, Never>()
        let count = Scale.reduced(1000)
        (0..<count).publisher.flatMapSequential(maxConcurrent: 4) { _ in (0..<1000).publisher }.subscribe(subscriber)
        XCTAssertEqual(subscriber.count, 1000 * count)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_requestsNoPublisherAfterAnotherHasUsedUpTheDemand() {
        var requests: [Subscribers.Demand] = []
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        (1...6).publisher
            .handleEvents(receiveRequest: { requests.append($0) })
            .flatMapSequential(maxConcurrent: 2) { (1...$0).publisher }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 1, 2])
        XCTAssertEqual(requests, [.max(2)])
        subscriber.request(.max(1))
        XCTAssertEqual(requests, [.max(2), .max(2)])
        subscriber.cancel()
    }

    func test_replacesWhatItHasDeliveredThoughTheOuterPublisherWaitsForDemand() {
        let (upstream, inners, subscriber) = make(2, maxConcurrent: 2, .first(1))
        upstream.send(0)
        upstream.send(1)
        inners[1].send(10)
        inners[1].send(11)
        inners[0].finish()
        XCTAssertEqual(subscriber.values, [10])
        XCTAssertEqual(inners[1].requested, .max(3))
        XCTAssertEqual(upstream.requested, .max(2), "there is no demand")
        subscriber.request(.max(2))
        XCTAssertEqual(upstream.requested, .max(3))
        XCTAssertEqual(inners[1].requested, .max(4))
        subscriber.cancel()
    }

    func test_losesNothingOfASubjectThatSendsNoMoreThanItPrefetches() {
        let outer = PassthroughSubject<Int, Never>()
        let inners = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        outer.flatMapSequential(maxConcurrent: 2, prefetch: 2) { inners[$0] }.subscribe(subscriber)
        outer.send(0)
        outer.send(1)
        inners[1].send(10)
        inners[1].send(11)
        inners[0].send(completion: .finished)
        XCTAssertEqual(subscriber.values, [10])
        inners[1].send(12)
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [10, 11, 12])
        subscriber.cancel()
    }
}
