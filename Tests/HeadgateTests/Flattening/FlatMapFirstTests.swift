import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapFirstTests: XCTestCase {
    func test_dropsWhatComesWhileAPublisherIsGoingAndReportsIt() {
        let upstream = PassthroughSubject<Int, TestFailure>()
        let inners = (0..<4).map { _ in TestPublisher<Int, TestFailure>() }
        var dropped: [Int] = []
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.flatMapFirst(onDrop: { dropped.append($0) }) { inners[$0] }.subscribe(subscriber)
        upstream.send(0)
        upstream.send(1)
        inners[0].send(7)
        inners[0].finish()
        upstream.send(2)
        upstream.send(3)
        inners[2].send(8)
        XCTAssertEqual(dropped, [1, 3])
        XCTAssertEqual(inners.map(\.subscriptionCount), [1, 0, 1, 0])
        XCTAssertEqual(inners.map(\.cancelCount), [0, 0, 0, 0])
        XCTAssertEqual(subscriber.values, [7, 8])
        inners[2].fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_subscribersDoNotDisturbEachOther() {
        let upstream = PassthroughSubject<Int, Never>()
        let slow = PassthroughSubject<Int, Never>()
        var isFirst = true
        let flattened = upstream.flatMapFirst { value -> AnyPublisher<Int, Never> in
            defer { isFirst = false }
            return isFirst ? slow.eraseToAnyPublisher() : Just(value).eraseToAnyPublisher()
        }
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        flattened.subscribe(first)
        flattened.subscribe(second)
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(first.values, [])
        XCTAssertEqual(second.values, [1, 2])
    }

    func test_publishersThatEndAtOnceLetTheNextBegin() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...5).publisher.flatMapFirst { Just($0) }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aSingleValueThatWaitsForDemandKeepsItsTurn() {
        let upstream = PassthroughSubject<Int, Never>()
        var dropped: [Int] = []
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.flatMapFirst(onDrop: { dropped.append($0) }) { Just($0) }.subscribe(subscriber)
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(dropped, [3])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1, 2])
        upstream.send(4)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1, 2, 4])
    }
}
