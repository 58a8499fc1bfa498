import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ShareTests: XCTestCase {
    func test_subscribesUpstreamOnceForAll() {
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.share()
        let early = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        shared.subscribe(early)
        upstream.send(1)
        shared.subscribe(late)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(early.values, [1, 2])
        XCTAssertEqual(late.values, [2])
        XCTAssertEqual(late.failure, .first)
        XCTAssertEqual(early.events.first, .subscription("Multicast"))
    }

    func test_cancelsUpstreamOnceWhenTheLastSubscriberLeaves() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        let subscribers = (0..<3).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
        subscribers.forEach(shared.subscribe)
        let subscription = subscribers[0].subscription
        subscribers[0].cancel()
        subscription?.cancel()
        subscription?.cancel()
        subscribers[1].cancel()
        XCTAssertEqual(upstream.cancelCount, 0, "a subscriber that cancels three times leaves once")
        subscribers[2].cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_beginsAnewForTheNextSubscriber() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        upstream.send(1)
        first.cancel()
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(second)
        upstream.send(2)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(second.values, [2])
    }

    func test_doesNotBeginAnewAfterTheEnd() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        let subscription = first.subscription
        upstream.finish()
        subscription?.cancel()
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(second)
        XCTAssertEqual(second.events, [.subscription("Multicast"), .request(.unlimited), .completion(.finished)])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_givesTheFirstSubscriberEverythingThatComesAtOnce() {
        let shared = (1...3).publisher.share()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_cancelsUpstreamThatIsStillBeingConnectedWhenTheOnlySubscriberLeaves() {
        let upstream = TestPublisher<Int, Never> { upstream, _ in upstream.send(1) }
        let subscriber = TestSubscriber<Int, Never>.checked(.cancelling(atValue: 1))
        upstream.share().subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_doesNotConnectForASubscriberThatLeavesOnArrival() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        shared.subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        XCTAssertEqual(upstream.subscriptionCount, 0)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_theStreamGoesOnWhenOnlyTheSubscribersAreLeft() {
        let upstream = TestPublisher<Int, Never>()
        var values: [Int] = []
        upstream.share().subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.unlimited) },
                receiveValue: {
                    values.append($0)
                    return .none
                }))
        upstream.send(1)
        XCTAssertEqual(values, [1])
        upstream.finish()
    }

    func test_releasesEverythingAfterCancelAndAfterTheEnd() {
        let before = Tracked.count
        for ends in [false, true] {
            let upstream = PassthroughSubject<Int, Never>()
            let tracked = Tracked()
            let shared = upstream.map { value -> Int in
                _ = tracked
                return value
            }.share()
            let sinks = (0..<2).map { _ in
                let tracked = Tracked()
                return shared.sink { _ in _ = tracked }
            }
            upstream.send(1)
            if ends { upstream.send(completion: .finished) } else { sinks.forEach { $0.cancel() } }
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_oneByOneLosesNothingOfWhatIsSentAfterEachRequest() {
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        upstream.share().subscribe(subscriber)
        (1...5).forEach(upstream.send)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
    }

    func test_isEqualToItselfAlone() {
        let shared = (1...3).publisher.share()
        XCTAssertEqual(shared, shared)
        XCTAssertNotEqual(shared, (1...3).publisher.share())
    }

    func test_countsThreadsThatComeAndGo() {
        let upstream = PassthroughSubject<Int, Never>()
        let shared = upstream.share()
        onThreads(4) { _ in
            for _ in 0..<500 { shared.sink { _ in }.cancel() }
        }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_autoconnectConnectsAtTheFirstAndDisconnectsAtTheLast() {
        final class Connectable: ConnectablePublisher {
            typealias Output = Int
            typealias Failure = Never
            let subject = PassthroughSubject<Int, Never>()
            var log: [String] = []
            func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
                log.append("subscribe")
                subject.receive(subscriber: subscriber)
            }
            func connect() -> any Cancellable {
                log.append("connect")
                return AnyCancellable { self.log.append("disconnect") }
            }
        }
        let connectable = Connectable()
        let automatic = connectable.autoconnect()
        let first = automatic.sink { _ in }
        let second = automatic.sink { _ in }
        first.cancel()
        second.cancel()
        let third = automatic.sink { _ in }
        XCTAssertEqual(
            connectable.log, ["subscribe", "connect", "subscribe", "disconnect", "subscribe", "connect"])
        third.cancel()
    }
}
