import HeadgateCombine
import HeadgateTesting
import XCTest

final class QuirkTests: XCTestCase {
    func test_oneValuePerRequest() {
        let source = TestPublisher<Int, Never>(serving: [1, 2, 3], quirk: .oneValuePerRequest)
        let subscriber = TestSubscriber<Int, Never>(.first(2))
        source.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        source.serveNext()
        source.serveNext()
        XCTAssertEqual(subscriber.values, [1, 2], "there is no more demand")
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_deliversInsideRequest() {
        let source = TestPublisher<Int, Never>(serving: [1, 2], quirk: .deliversInsideRequest)
        let subscriber = TestSubscriber<Int, Never>(.none)
        source.subscribe(subscriber)
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_completesInsideCancel() {
        let source = TestPublisher<Int, Never>(serving: [1, 2], quirk: .completesInsideCancel)
        var ends = 0
        let reading = source.sink(receiveCompletion: { _ in ends += 1 }, receiveValue: { _ in })
        XCTAssertEqual(ends, 0)
        reading.cancel()
        XCTAssertEqual(ends, 0, "a sink is deaf by then")
        XCTAssertFalse(source.isConnected)
    }

    func test_completesInsideEachCancel() {
        let source = TestPublisher<Int, Never>(serving: [1, 2], quirk: .completesInsideCancel)
        let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>(.none) }
        for subscriber in subscribers { source.subscribe(subscriber) }
        subscribers[0].cancel()
        XCTAssertEqual(subscribers.map(\.hasFinished), [true, false])
        XCTAssertTrue(source.isConnected)
        subscribers[1].cancel()
        XCTAssertEqual(subscribers.map(\.hasFinished), [true, true])
        XCTAssertFalse(source.isConnected)
    }

    func test_countsWhatIsLostAndWhenItWasAsked() {
        let source = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.none)
        source.subscribe(subscriber)
        source.send(1)
        subscriber.request(1)
        [2, 3].forEach { source.send($0) }
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertEqual(source.lost, [1, 3])
        XCTAssertEqual(source.sentBeforeRequests, [1, 3])
    }
}
