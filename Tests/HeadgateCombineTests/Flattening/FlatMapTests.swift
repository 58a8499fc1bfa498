import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapTests: XCTestCase {
    func test_mergesErasedPublishersOfOneValue() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        [1, 2, 3].publisher.setFailureType(to: TestFailure.self)
            .flatMap { Just($0 * 10).eraseToAnyPublisher().setFailureType(to: TestFailure.self).eraseToAnyPublisher() }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [10, 20])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [10, 20, 30])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesWhatAllPublishersPublish() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        [1, 2].publisher.flatMap { ($0 * 10...$0 * 10 + 2).publisher }.subscribe(subscriber)
        XCTAssertEqual(subscriber.events.first, .subscription("FlatMap"))
        XCTAssertEqual(subscriber.values, [10, 11, 12, 20, 21, 22])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_requestsOneValueAtATimeFromEachPublisher() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [])
        subscriber.request(1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        for index in 0..<3 { upstream.send(index) }
        XCTAssertEqual(inners.map(\.requested), [.max(1), .max(1), .max(1)])
        for index in 0..<3 { XCTAssertEqual(inners[index].answer(to: index), .none) }
        XCTAssertEqual(subscriber.values, [0])
        subscriber.request(3)
        XCTAssertEqual(subscriber.values, [0, 1, 2], "the one that has waited longest comes first")
        XCTAssertEqual(inners.map(\.requested), [.max(2), .max(2), .max(2)])
        XCTAssertEqual(inners[1].answer(to: 3), .none)
        XCTAssertEqual(inners[0].answer(to: 4), .none)
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3])
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3, 4])
        XCTAssertEqual(inners[2].answer(to: 5), .none)
        XCTAssertEqual(inners.map(\.requested), [.max(3), .max(3), .max(2)])
    }

    func test_requestsEverythingOnceDemandIsUnlimited() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1))
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        upstream.send(0)
        upstream.send(1)
        inners[1].send(9)
        inners[0].send(10)
        subscriber.request(.unlimited)
        upstream.send(2)
        XCTAssertEqual(inners[0].calls, [.request(.max(1)), .request(.unlimited)])
        XCTAssertEqual(inners[1].calls, [.request(.max(1)), .request(.unlimited)])
        XCTAssertEqual(inners[2].calls, [.request(.unlimited)])
        for index in 0..<3 { XCTAssertEqual(inners[index].answer(to: index), .none) }
        XCTAssertEqual(subscriber.values, [9, 10, 0, 1, 2])
    }

    func test_neverHasMorePublishersGoingThanAllowed() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<4).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.flatMap(maxPublishers: .max(2)) { inners[$0] }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(0)
        upstream.send(1)
        inners[1].finish()
        XCTAssertEqual(upstream.requested, .max(3))
        upstream.send(2)
        inners[0].finish()
        inners[2].finish()
        XCTAssertEqual(upstream.requested, .max(5))
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_requestsAnotherPublisherOnlyWhenTheCompletionOfOneIsDelivered() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        upstream.flatMap(maxPublishers: .max(1)) { [$0, 2 * $0].publisher }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .none)
        subscriber.request(1)
        upstream.send(1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(upstream.requested, .max(1))
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(1), "not before there is demand for its values")
        subscriber.request(1)
        XCTAssertEqual(upstream.requested, .max(2))
    }

    func test_aFailingPublisherCancelsUpstreamAndTheOthers() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        for index in 0..<3 { upstream.send(index) }
        inners[1].send(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(inners.map(\.cancelCount), [1, 0, 1])
    }

    func test_aFailureOfUpstreamCancelsThePublishers() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inner = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.flatMap { _ in inner }.subscribe(subscriber)
        upstream.send(0)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
        XCTAssertEqual(inner.cancelCount, 1)
    }

    func test_finishesOnlyWhenUpstreamAndAllPublishersHave() {
        let upstream = TestPublisher<Int, Never>()
        let inners = (0..<2).map { _ in TestPublisher<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(1)
        inners[1].send(2)
        inners[0].finish()
        upstream.finish()
        inners[1].finish()
        XCTAssertNil(subscriber.completion, "a value still waits")
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_cancelInsideADeliveryStopsEverything() {
        let upstream = TestPublisher<Int, Never>()
        let inners = (0..<2).map { _ in TestPublisher<Int, Never>(keepsSubscribers: true) }
        let subscriber = TestSubscriber<Int, Never>.checked(.cancelling(atValue: 1))
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(1)
        inners[0].force(2)
        inners[1].force(2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual([upstream.cancelCount, inners[0].cancelCount, inners[1].cancelCount], [1, 1, 1])
    }

    func test_cancelsAnEndlessPublisherFromInsideADelivery() {
        let endless = sequence(first: 0) { $0 + 1 }.publisher
        for demand in [Subscribers.Demand.unlimited, .max(5)] {
            let subscriber = TestSubscriber<Int, Never>.checked(requesting: demand) { subscriber, value in
                if value == 2 { subscriber.request(.unlimited) }
                if value == 100 { subscriber.cancel() }
                return .none
            }
            [1].publisher.flatMap { _ in endless }.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, Array(0...100))
        }
    }

    func test_isFlatForManyPublishersThatAnswerAtOnce() {
        let total = Scale.reduced(100_000)
        for limit in [Subscribers.Demand.unlimited, .max(1)] {
            var count = 0
            let cancellable = (0..<total).publisher.flatMap(maxPublishers: limit) { CollectionOfOne($0).publisher }
                .sink { _ in count += 1 }
            XCTAssertEqual(count, total)
            cancellable.cancel()
        }
    }

    func test_aPublisherWhoseValueWaitsIsReplacedWhenThatIsDelivered() {
        let outer = TestPublisher<Int, Never>()
        let inners = (0..<2).map { _ in TestPublisher<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        outer.flatMap(maxPublishers: .max(2)) { inners[$0] }.subscribe(subscriber)
        outer.send(0)
        outer.send(1)
        inners[0].send(1)
        inners[1].send(2)
        inners[1].finish()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(outer.requested, .max(2))
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(outer.requested, .max(3))
    }

    func test_theValueOfAJustFromInsideADeliveryFollowsIt() {
        let outer = TestPublisher<Int, Never>()
        let inner = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3)) { _, value in
            if value == 10 {
                outer.send(1)
                outer.send(2)
            }
        }
        outer.flatMap { $0 == 0 ? inner.eraseToAnyPublisher() : Just($0).eraseToAnyPublisher() }
            .subscribe(subscriber)
        outer.send(0)
        inner.send(10)
        XCTAssertEqual(subscriber.values, [10, 1, 2])
        inner.send(11)
        XCTAssertEqual(subscriber.values, [10, 1, 2])
        XCTAssertEqual(subscriber.outstanding, .none)
    }

    func test_aJustThatHasToWaitForDemandIsFollowedByTheNextPublisher() {
        let inner = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        (0..<3).publisher.flatMap { number -> AnyPublisher<Int, Never> in
            if number == 0 { return inner.eraseToAnyPublisher() }
            // Uses the demand up for which this publisher was requested.
            if number == 1 { inner.send(10) }
            return Just(number).eraseToAnyPublisher()
        }
        .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [10])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [10, 1])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [10, 1, 2])
    }

    func test_isFlatWhenDemandComesOneByOne() {
        for limit in [Subscribers.Demand.unlimited, .max(1), .max(3)] {
            let returning = TestSubscriber<Int, Never>.checked(.oneByOne)
            (0..<5_000).publisher.flatMap(maxPublishers: limit) { [$0, $0].publisher }.subscribe(returning)
            let requesting = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
            (0..<5_000).publisher.flatMap(maxPublishers: limit) { [$0, $0].publisher }.subscribe(requesting)
            for subscriber in [returning, requesting] {
                // Now and then it is the turn of another publisher.
                XCTAssertEqual(subscriber.values.sorted(), (0..<5_000).flatMap { [$0, $0] })
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_isFlatWhenManyPublishersWaitForDemand() {
        let subscriber = TestSubscriber<Int, Never>.checked { subscriber, _ in subscriber.request(1) }
        (0..<20_000).publisher.flatMap { [$0, -$0].publisher }.subscribe(subscriber)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, (0..<20_000).flatMap { [$0, -$0] })
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isFlatWhenTheValuesOfManyPublishersWait() {
        let upstream = PassthroughSubject<Int, Never>()
        var isOpen = false
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, _ in isOpen ? .max(1) : .none }
        upstream.flatMap { [$0, -$0].publisher }.subscribe(subscriber)
        (0..<20_000).forEach(upstream.send)
        XCTAssertEqual(subscriber.values, [0])
        isOpen = true
        subscriber.request(1)
        upstream.send(completion: .finished)
        XCTAssertEqual(subscriber.values.count, 40_000)
        XCTAssertEqual(Set(subscriber.values).count, 39_999)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_losesNothingWhenPublishersAreOnSeveralThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let inners = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.flatMap { inners[$0] }.subscribe(subscriber)
        for index in 0..<4 { upstream.send(index) }
        upstream.send(completion: .finished)
        onThreads(4) { index in
            for value in 0..<5_000 { inners[index].send(value * 4 + index) }
            inners[index].send(completion: .finished)
        }
        XCTAssertEqual(subscriber.values.count, 20_000)
        for index in 0..<4 {
            XCTAssertEqual(subscriber.values.filter { $0 % 4 == index }, (0..<5_000).map { $0 * 4 + index })
        }
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_treatsJustAsAnyPublisherOfOneValue() {
        for limit in [Subscribers.Demand.unlimited, .max(1), .max(3)] {
            for demand in [Subscribers.Demand.unlimited, .max(1), .max(2)] {
                let upstreams = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
                let subscribers = (0..<3).map { _ in
                    TestSubscriber<Int, TestFailure>.checked(requesting: demand) { subscriber, value in
                        if value == 2 { subscriber.request(1) }
                        return value == 4 ? .max(1) : .none
                    }
                }
                upstreams[0].flatMap(maxPublishers: limit) { Just($0).setFailureType(to: TestFailure.self) }
                    .subscribe(subscribers[0])
                upstreams[1].flatMap(maxPublishers: limit) { Just($0) }.subscribe(subscribers[1])
                upstreams[2].flatMap(maxPublishers: limit) { [$0].publisher }.subscribe(subscribers[2])
                for value in 1...6 {
                    for upstream in upstreams { upstream.send(value) }
                }
                for index in 0..<3 {
                    subscribers[index].request(1)
                    upstreams[index].finish()
                    subscribers[index].request(2)
                }
                for index in 0..<2 { XCTAssertEqual(subscribers[index].events, subscribers[2].events) }
            }
        }
    }

    func test_widensFailureTypes() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let failing = TestPublisher<Int, TestFailure>()
        failing.flatMap { [$0, $0].publisher }.subscribe(subscriber)
        failing.send(1)
        failing.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1, 1])
        XCTAssertEqual(subscriber.failure, .first)

        let inner = TestPublisher<Int, TestFailure>()
        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        [1].publisher.flatMap { _ in inner }.subscribe(second)
        inner.send(completion: .failure(.second))
        XCTAssertEqual(second.failure, .second)
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<4 {
            let upstream = TestPublisher<Tracked, TestFailure>()
            let inner = TestPublisher<Tracked, TestFailure>()
            var subscriber: TestSubscriber<Tracked, TestFailure>? = TestSubscriber.checked()
            weak let weakSubscriber = subscriber
            let tracked = Tracked()
            subscriber.map { upstream.flatMap { [tracked] _ in tracked === tracked ? inner : inner }.subscribe($0) }
            subscriber?.request(1)
            upstream.send(Tracked())
            // Of two publishers with one value each, one waits.
            upstream.send(Tracked())
            inner.send(Tracked())
            switch end {
            case 0:
                inner.finish()
                upstream.finish()
                subscriber?.request(1)
            case 1: inner.send(completion: .failure(.first))
            case 2: upstream.send(completion: .failure(.first))
            default: subscriber?.cancel()
            }
            subscriber = nil
            XCTAssertNil(weakSubscriber, "\(end)")
            XCTAssertFalse(upstream.isConnected || inner.isConnected)
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_ignoresWhatUpstreamSaysAfterItsEndAndCancelsASecondSubscription() {
        var attached: AnySubscriber<Int, Never>?
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        let inner = TestPublisher<Int, Never>()
        let source = AnyPublisherOfSubscriber<Int> { attached = $0 }
        source.flatMap { _ in inner }.subscribe(subscriber)
        let first = CountingSubscription()
        let second = CountingSubscription()
        attached?.receive(subscription: first)
        attached?.receive(subscription: second)
        XCTAssertEqual([first.cancelCount, second.cancelCount], [0, 1])
        _ = attached?.receive(1)
        attached?.receive(completion: .finished)
        _ = attached?.receive(2)
        attached?.receive(completion: .finished)
        XCTAssertEqual(inner.subscriptionCount, 1)
        XCTAssertNil(subscriber.completion)
        inner.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }
}

/// A publisher that hands its subscriber to the test.
struct AnyPublisherOfSubscriber<Output>: Publisher {
    typealias Failure = Never

    let attach: (AnySubscriber<Output, Never>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        attach(AnySubscriber(subscriber))
    }
}

/// A subscription that counts what it hears.
final class CountingSubscription: Subscription {
    var cancelCount = 0
    var requested = Subscribers.Demand.none

    func request(_ demand: Subscribers.Demand) { requested += demand }
    func cancel() { cancelCount += 1 }
}
