import Dispatch
import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class SwitchToLatestTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_requestsEverythingFromTheOuterPublisherOnce() {
        var requests: [Subscribers.Demand] = []
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        outer.handleEvents(receiveRequest: { requests.append($0) }).switchToLatest().subscribe(subscriber)
        for _ in 0..<3 {
            subscriber.request(1)
            let inner = PassthroughSubject<Int, Never>()
            outer.send(inner)
            inner.send(1)
        }
        XCTAssertEqual(subscriber.values, [1, 1, 1])
        XCTAssertEqual(requests, [.unlimited])
    }

    func test_publishesWhatTheLatestPublishes() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        [[1, 2].publisher, [3].publisher].publisher.switchToLatest().subscribe(subscriber)
        XCTAssertEqual(subscriber.events.first, .subscription("SwitchToLatest"))
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_cancelsTheOneItLeavesAndCarriesTheDemandOver() {
        let upstream = TestPublisher<Hand, TestFailure>()
        let inners = (0..<2).map { _ in Hand(keepsSubscribers: true) }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(3)) { _, value in
            value == 1 ? .max(2) : .none
        }
        upstream.switchToLatest().subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(inners[0])
        XCTAssertEqual(inners[0].answer(to: 1), .max(2))
        upstream.send(inners[1])
        inners[0].force(7)
        subscriber.request(1)
        XCTAssertEqual(inners[0].calls, [.request(.max(3)), .answer(.max(2)), .cancel])
        XCTAssertEqual(inners[1].calls, [.request(.max(4)), .request(.max(1))])
        inners[1].send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_takesTheValueOfAJustInPlaceOfTheOneItLeaves() {
        let upstream = TestPublisher<AnyPublisher<Int, TestFailure>, TestFailure>()
        let inner = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.switchToLatest().subscribe(subscriber)
        upstream.send(inner.eraseToAnyPublisher())
        inner.send(1)
        upstream.send(Just(2).setFailureType(to: TestFailure.self).eraseToAnyPublisher())
        XCTAssertEqual(inner.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertNil(subscriber.completion)
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_theValueOfAJustWaitsForDemandUntilTheNext() {
        let upstream = TestPublisher<Just<Int>, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.switchToLatest().subscribe(subscriber)
        for value in 1...3 { upstream.send(Just(value)) }
        XCTAssertEqual(subscriber.values, [1])
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isSilentAfterCancelInsideTheValueOfAJust() {
        let upstream = TestPublisher<Just<Int>, Never>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, value in
            if value == 2 { subscriber.cancel() }
            return .none
        }
        upstream.switchToLatest().subscribe(subscriber)
        for value in 1...3 { upstream.force(Just(value)) }
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aHundredThousandJustsRequestedOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, _ in .max(1) }
        (0..<100_000).publisher.map { Just($0) }.switchToLatest().subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, 100_000)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_finishesWhenBothHaveFinished() {
        for upstreamIsFirst in [true, false] {
            let upstream = TestPublisher<Hand, TestFailure>()
            let inner = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.switchToLatest().subscribe(subscriber)
            upstream.send(inner)
            if upstreamIsFirst { upstream.finish() } else { inner.finish() }
            XCTAssertNil(subscriber.completion)
            if upstreamIsFirst { inner.finish() } else { upstream.finish() }
            XCTAssertTrue(subscriber.hasFinished)
            XCTAssertEqual(upstream.cancelCount + inner.cancelCount, 0)
        }
    }

    func test_aFailureOfEitherCancelsTheOther() {
        for upstreamFails in [true, false] {
            let upstream = TestPublisher<Hand, TestFailure>()
            let inner = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.switchToLatest().subscribe(subscriber)
            upstream.send(inner)
            if upstreamFails {
                upstream.send(completion: .failure(.first))
            } else {
                inner.send(completion: .failure(.first))
            }
            XCTAssertEqual(subscriber.failure, .first)
            XCTAssertEqual(upstream.cancelCount, upstreamFails ? 0 : 1)
            XCTAssertEqual(inner.cancelCount, upstreamFails ? 1 : 0)
        }
    }

    func test_cancelInsideADeliveryReachesBoth() {
        let upstream = TestPublisher<Hand, TestFailure>()
        let inner = Hand()
        var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.cancelling(atValue: 1))
        weak let weakSubscriber = subscriber
        subscriber.map { upstream.switchToLatest().subscribe($0) }
        upstream.send(inner)
        inner.send(1)
        inner.send(2)
        upstream.send(Hand())
        XCTAssertEqual(subscriber?.values, [1])
        XCTAssertEqual([upstream.cancelCount, inner.cancelCount], [1, 1])
        subscriber = nil
        XCTAssertNil(weakSubscriber)
    }

    func test_isFlatForManyPublishersAndDemandOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, value in
            if value.isMultiple(of: 2) { return .max(1) }
            subscriber.request(1)
            return .none
        }
        (0..<20_000).publisher.map { CollectionOfOne($0).publisher }.switchToLatest().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(0..<20_000))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_stopsAnEndlessPublisherWhenCancelledFromInsideADelivery() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { subscriber, value in
            if value == 1 { subscriber.request(.unlimited) }
            if value == 100 { subscriber.cancel() }
            return .none
        }
        [sequence(first: 0) { $0 + 1 }.publisher].publisher.switchToLatest().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(0...100))
    }

    func test_keepsOneOrderWhenTwoThreadsSendAndSwitch() {
        let upstream = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let inners = (0..<1_000).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.switchToLatest().subscribe(subscriber)
        onThreads(2) { thread in
            for (index, inner) in inners.enumerated() {
                if thread == 0 { upstream.send(inner) } else { inner.send(index) }
            }
        }
        XCTAssertEqual(subscriber.values, subscriber.values.sorted())
    }

    /// Inside deliveries, on the thread of a queue, while another thread sends to whichever publisher is the latest.
    func test_losesNothingOfTheLastWhenSwitchedInsideDeliveriesOnAQueue() {
        for round in 0..<Scale.reduced(200) {
            let queue = DispatchQueue(label: "switch")
            let inners = (0..<20).map { _ in TestPublisher<Int, Never>() }
            let outer = PassthroughSubject<TestPublisher<Int, Never>, Never>()
            let current = Atomic(0)
            let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, _ in
                let number = current.load(ordering: .relaxed)
                if number + 1 < inners.count {
                    current.store(number + 1, ordering: .relaxed)
                    outer.send(inners[number + 1])
                }
                subscriber.request(.max(1))
            }
            let switched = outer.switchToLatest()
            if round % 2 == 0 {
                switched.receive(on: queue).subscribe(subscriber)
            } else {
                switched.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).receive(on: queue)
                    .subscribe(subscriber)
            }
            outer.send(inners[0])
            var sent = 0
            while current.load(ordering: .relaxed) < inners.count - 1 {
                sent += 1
                inners[current.load(ordering: .relaxed)].send(sent)
            }
            let last = inners[inners.count - 1]
            for value in 1...10 {
                last.send(-value)
                queue.sync {}
            }
            let accepted = (1...10).map { -$0 }.filter { !last.lost.contains($0) }
            XCTAssertTrue(
                waitUntil(timeout: 60_000) { subscriber.values.filter { $0 < 0 } == accepted },
                "round \(round): \(subscriber.values.suffix(12)) of \(accepted)")
            XCTAssertGreaterThan(last.outstanding, .none, "round \(round)")
        }
    }

    func test_widensFailureTypes() {
        let never = PassthroughSubject<Hand, Never>()
        let inner = Hand()
        let first = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        never.switchToLatest().subscribe(first)
        never.send(inner)
        inner.send(completion: .failure(.second))
        XCTAssertEqual(first.failure, .second)

        let failing = TestPublisher<Publishers.Sequence<[Int], Never>, TestFailure>()
        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        failing.switchToLatest().subscribe(second)
        failing.send([1, 2].publisher)
        failing.send(completion: .failure(.first))
        XCTAssertEqual(second.values, [1, 2])
        XCTAssertEqual(second.failure, .first)
    }
}
