import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class BufferTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_byRequestRequestsEverythingAndKeepsWhatItCan() {
        for (whenFull, expected) in [
            (Publishers.BufferingStrategy<TestFailure>.dropNewest, [1, 2]), (.dropOldest, [3, 4]),
        ] {
            let upstream = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked()
            upstream.buffer(size: 2, prefetch: .byRequest, whenFull: whenFull).subscribe(subscriber)
            XCTAssertEqual(subscriber.events, [.subscription("Buffer")])
            for value in 1...4 { XCTAssertEqual(upstream.answer(to: value), .none) }
            subscriber.request(1)
            subscriber.request(2)
            upstream.send(5)
            XCTAssertEqual(upstream.calls, [.request(.unlimited)])
            XCTAssertEqual(subscriber.values, expected + [5])
        }
    }

    func test_keepFullRequestsWhatThereIsRoomFor() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        for value in 1...3 { upstream.send(value) }
        subscriber.request(2)
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(2))])
        subscriber.request(2)
        XCTAssertEqual(upstream.answer(to: 4), .max(1))
        XCTAssertEqual(upstream.answer(to: 5), .none)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
    }

    func test_keepFullLosesNothingOfASequence() {
        for size in [1, 2, 7] {
            let returning = TestSubscriber<Int, Never>.checked(.oneByOne)
            let requesting = TestSubscriber<Int, Never>.checked(requesting: .max(2)) { subscriber, value in
                if value.isMultiple(of: 2) { subscriber.request(2) }
                return .none
            }
            for subscriber in [returning, requesting] {
                (1...10_000).publisher.buffer(size: size, prefetch: .keepFull, whenFull: .dropOldest)
                    .subscribe(subscriber)
                XCTAssertEqual(subscriber.values, Array(1...10_000))
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_failsWithTheErrorOfTheClosureAfterWhatWasKept() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .second }).subscribe(subscriber)
        for value in 1...4 { upstream.send(value) }
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertNil(subscriber.completion)
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_theCompletionWaitsForWhatWasKept() {
        for completion in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let upstream = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked()
            upstream.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).subscribe(subscriber)
            upstream.send(1)
            upstream.send(completion: completion)
            XCTAssertNil(subscriber.completion)
            subscriber.request(1)
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.completion, completion)
            XCTAssertEqual(upstream.cancelCount, 0)
        }
    }

    func test_anEmptyBufferNeedsNoDemandToComplete() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        [Int]().publisher.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Buffer"), .completion(.finished)])
    }

    func test_aBufferOfNothingForwardsDemand() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.buffer(size: 0, prefetch: .byRequest, whenFull: .dropOldest).subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        subscriber.request(1)
        upstream.send(3)
        XCTAssertEqual(subscriber.values, [1, 3])
    }

    func test_stopsAnEndlessSequenceWhenCancelledFromInsideADelivery() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, value in
            if value == 100 { subscriber.cancel() }
            return .none
        }
        sequence(first: 1) { $0 + 1 }.publisher.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(1...100))
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let upstream = TestPublisher<Tracked, TestFailure>()
            var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked()
            weak let weakSubscriber = subscriber
            subscriber.map {
                upstream.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .second }).map { _ in 1 }
                    .subscribe($0)
            }
            upstream.send(Tracked())
            switch end {
            case 0:
                upstream.finish()
                subscriber?.request(1)
            case 1:
                upstream.send(Tracked())
                upstream.send(Tracked())
                subscriber?.request(2)
            default: subscriber?.cancel()
            }
            XCTAssertEqual(Tracked.count, before)
            subscriber = nil
            XCTAssertNil(weakSubscriber)
            XCTAssertFalse(upstream.isConnected)
        }
    }

    func test_losesNothingWhenValuesAndDemandComeFromTwoThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        upstream.buffer(size: 10_000, prefetch: .byRequest, whenFull: .dropNewest).subscribe(subscriber)
        onThreads(2) { index in
            for value in 0..<10_000 {
                if index == 0 { upstream.send(value) } else { subscriber.request(1) }
            }
        }
        XCTAssertEqual(subscriber.values, Array(0..<10_000))
    }

    func test_keepsWhatASubjectSendsBeforeTheFirstRequest() {
        for prefetch in [Publishers.PrefetchStrategy.byRequest, .keepFull] {
            let source = PassthroughSubject<Int, Never>()
            var received: [Int] = []
            var subscription: (any Subscription)?
            source.buffer(size: 5, prefetch: prefetch, whenFull: .dropNewest).subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        subscription = $0
                        source.send(1)
                        source.send(2)
                        $0.request(.max(1))
                        source.send(3)
                    },
                    receiveValue: {
                        received.append($0)
                        // From inside a delivery: it comes after what was sent before it.
                        if $0 == 1 { source.send(10) }
                        return .none
                    }))
            source.send(4)
            subscription?.request(.unlimited)
            XCTAssertEqual(received, [1, 2, 10, 3, 4])
            subscription?.cancel()
        }
    }

}
