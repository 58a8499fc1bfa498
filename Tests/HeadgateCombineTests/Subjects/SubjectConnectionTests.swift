import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class SubjectConnectionTests: XCTestCase {
    func test_sendsValuesAndTheEndIntoTheSubject() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subject = PassthroughSubject<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        subject.subscribe(subscriber)
        let connection = upstream.subscribe(subject)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)], "what has ended is not cancelled")
        connection.cancel()
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_requestsEverythingOnceASubscriberHasRequestedSomething() {
        let upstream = TestPublisher<Int, Never>()
        let subject = PassthroughSubject<Int, Never>()
        let connection = upstream.subscribe(subject)
        let subscriber = TestSubscriber<Int, Never>.checked()
        subject.subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [])
        subscriber.request(2)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1, 2])
        connection.cancel()
    }

    func test_requestsEverythingForASubscriberThatIsTheFirstWhenAnotherOneIsReleased() {
        let upstream = TestPublisher<Int, Never>()
        let subject = PassthroughSubject<Int, Never>()
        let connection = upstream.subscribe(subject)
        var values: [Int] = []
        var sink: AnyCancellable?
        var last: AnyCancellable? = AnyCancellable { sink = subject.sink { values.append($0) } }
        var idle: (any Subscription)?
        subject.subscribe(
            AnySubscriber(
                receiveSubscription: { idle = $0 },
                receiveValue: { [last] _ in
                    _ = last
                    return .none
                }))
        last = nil
        // Cancelled while the subject attaches a subscriber, the other one is released after that.
        subject.subscribe(AnySubscriber(receiveSubscription: { _ in idle?.cancel() }))
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(7)
        XCTAssertEqual(values, [7])
        sink?.cancel()
        connection.cancel()
    }

    func test_aSubjectWithAValueRequestsEverythingAtOnce() {
        let upstream = TestPublisher<Int, Never>()
        let subject = CurrentValueSubject<Int, Never>(0)
        let connection = upstream.subscribe(subject)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(4)
        XCTAssertEqual(subject.value, 4)
        connection.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_detachingCancelsUpstreamOnceAndLeavesTheSubjectOpen() {
        let upstream = TestPublisher<Int, Never>()
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        var connection: AnyCancellable? = upstream.subscribe(subject)
        connection = nil
        XCTAssertNil(connection)
        XCTAssertEqual(upstream.cancelCount, 1)
        subject.send(2)
        subject.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_theEndOfTheSubjectCancelsUpstream() {
        let upstream = TestPublisher<Int, Never>()
        let subject = PassthroughSubject<Int, Never>()
        let connection = upstream.subscribe(subject)
        subject.send(completion: .finished)
        XCTAssertEqual(upstream.calls, [.cancel])
        connection.cancel()
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_detachingInsideADeliveryStopsIt() {
        let subject = PassthroughSubject<Int, Never>()
        let source = PassthroughSubject<Int, Never>()
        let connection = source.subscribe(subject)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, _ in
            connection.cancel()
            return .none
        }
        subject.subscribe(subscriber)
        source.send(1)
        source.send(2)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_anUpstreamThatAnswersAtOnceIsReadOnlyUntilItIsDetachedFromInside() {
        var read = 0
        let endless = sequence(first: 1) { $0 + 1 }.lazy.map { value -> Int in
            read = value
            return value
        }
        let subject = PassthroughSubject<Int, Never>()
        let connection = endless.publisher.subscribe(subject)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value == 3 { connection.cancel() }
            return .none
        }
        subject.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertLessThanOrEqual(read, 4)
    }

    func test_afterDetachingTheSubjectKeepsNothingOfUpstream() {
        let before = Tracked.count
        let subject = PassthroughSubject<Int, Never>()
        let source = PassthroughSubject<Int, Never>()
        for _ in 0..<3 {
            let tracked = Tracked()
            source.map { value -> Int in
                _ = tracked
                return value
            }.subscribe(subject).cancel()
        }
        XCTAssertEqual(Tracked.count, before)
        weak var watched: PassthroughSubject<Int, Never>?
        var connection: AnyCancellable?
        do {
            let short = PassthroughSubject<Int, Never>()
            watched = short
            connection = source.subscribe(short)
        }
        XCTAssertNotNil(watched, "upstream keeps the subject for as long as it is attached")
        connection?.cancel()
        XCTAssertNil(watched)
    }

    func test_anAttachedSubjectEndsWithAFailureOfItsUpstreamFromInsideItsOwnDelivery() {
        let source = PassthroughSubject<Int, TestFailure>()
        let subject = PassthroughSubject<Int, TestFailure>()
        let connection = source.subscribe(subject)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { _, _ in
            source.send(completion: .failure(.second))
            return .none
        }
        subject.subscribe(subscriber)
        source.send(1)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("PassthroughSubject"), .request(.unlimited), .value(1), .completion(.failure(.second))])
        connection.cancel()
    }
}
