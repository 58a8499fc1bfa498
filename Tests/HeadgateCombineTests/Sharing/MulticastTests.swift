import Dispatch
import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MulticastTests: XCTestCase {
    func test_forwardsOneUpstreamToAllSubscribersAfterConnect() {
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.multicast { PassthroughSubject() }
        let subscribers = (0..<2).map { _ in TestSubscriber<Int, TestFailure>.checked(.unlimited) }
        subscribers.forEach(shared.subscribe)
        XCTAssertEqual(upstream.subscriptionCount, 0)
        let connection = shared.connect()
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        for subscriber in subscribers {
            XCTAssertEqual(
                subscriber.events,
                [.subscription("Multicast"), .request(.unlimited), .value(1), .completion(.failure(.first))])
        }
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        connection.cancel()
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_makesItsSubjectOnceAndLate() {
        var made = 0
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.multicast { () -> CurrentValueSubject<Int, Never> in
            made += 1
            return CurrentValueSubject(0)
        }
        XCTAssertEqual(made, 0)
        let sinks = (0..<3).map { _ in shared.sink { _ in } }
        let connection = shared.connect()
        XCTAssertEqual(made, 1)
        sinks.forEach { $0.cancel() }
        connection.cancel()
    }

    func test_eachSubscriberHasItsOwnDemand() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.multicast(subject: PassthroughSubject())
        let one = TestSubscriber<Int, Never>.checked(.first(1))
        let two = TestSubscriber<Int, Never>.checked(.first(2))
        shared.subscribe(one)
        shared.subscribe(two)
        let connection = shared.connect()
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(one.values, [1])
        XCTAssertEqual(two.values, [1, 2])
        connection.cancel()
    }

    func test_disconnectingCancelsUpstreamOnceAndConnectingAgainBeginsAnew() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.multicast(subject: PassthroughSubject())
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(subscriber)
        let first = shared.connect()
        upstream.send(1)
        first.cancel()
        first.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        let second = shared.connect()
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.subscriptionCount, 2)
        second.cancel()
    }

    func test_releasesSubscribersAfterCancelAndTheEnd() {
        let before = Tracked.count
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.multicast(subject: PassthroughSubject())
        func sink() -> AnyCancellable {
            let tracked = Tracked()
            return shared.sink { _ in _ = tracked }
        }
        let connection = shared.connect()
        sink().cancel()
        XCTAssertEqual(Tracked.count, before)
        let staying = sink()
        upstream.finish()
        XCTAssertEqual(Tracked.count, before)
        staying.cancel()
        connection.cancel()
    }

    func test_makeConnectableWaitsForConnect() {
        let shared = (1...3).publisher.makeConnectable()
        let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
        subscribers.forEach(shared.subscribe)
        XCTAssertEqual(subscribers[0].values, [])
        let connection = shared.connect()
        for subscriber in subscribers {
            XCTAssertEqual(subscriber.values, [1, 2, 3])
            XCTAssertTrue(subscriber.hasFinished)
        }
        connection.cancel()
    }

    func test_aSubscriberThatOpensUpstreamWhileAnotherIsBeingAttachedReceivesWhatItSends() {
        let shared = (1...3).publisher.makeConnectable()
        let connection = shared.connect()
        let isInside = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let slow = AnySubscriber<Int, Never>(
            receiveSubscription: { _ in
                isInside.signal()
                goesOn.wait()
            })
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        onThreads(2) { thread in
            if thread == 0 { return shared.subscribe(slow) }
            isInside.wait()
            // Waits in vain for its turn.
            shared.subscribe(second)
            goesOn.signal()
        }
        XCTAssertEqual(second.values, [1, 2, 3])
        XCTAssertTrue(second.hasFinished)
        connection.cancel()
    }
}
