import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class AnyPublisherTests: XCTestCase {
    func test_passesEverythingOnInBothDirections() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(2)) { _, _ in .max(1) }
        AnyPublisher(upstream).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        subscriber.request(3)
        upstream.fail(.first)
        XCTAssertEqual(
            subscriber.received, [.subscription("TestPublisher"), .value(1), .completion(.failure(.first))])
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .answer(.max(1)), .request(.max(3))])
    }

    func test_passesCancelOn() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.eraseToAnyPublisher().subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_servesEverySubscriber() {
        let upstream = TestPublisher<Int, TestFailure>()
        let publisher = upstream.eraseToAnyPublisher()
        for _ in 0..<3 { publisher.subscribe(TestSubscriber.checked()) }
        XCTAssertEqual(upstream.subscriptionCount, 3)
    }

    func test_isErasedAgainWithoutAnotherLayer() {
        var publisher = TestPublisher<Int, TestFailure>().eraseToAnyPublisher()
        for _ in 0..<100_000 { publisher = AnyPublisher(publisher).eraseToAnyPublisher() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.received, [.subscription("TestPublisher")])
    }

    func test_keepsItsPublisherAliveAndReleasesItsSubscriber() {
        weak var weakUpstream: TestPublisher<Int, TestFailure>?
        weak var weakSubscriber: TestSubscriber<Int, TestFailure>?
        do {
            let publisher: AnyPublisher<Int, TestFailure>
            do {
                let upstream = TestPublisher<Int, TestFailure>()
                weakUpstream = upstream
                publisher = upstream.eraseToAnyPublisher()
            }
            let subscriber = TestSubscriber<Int, TestFailure>.checked()
            weakSubscriber = subscriber
            publisher.subscribe(subscriber)
            XCTAssertNotNil(weakUpstream)
            subscriber.cancel()
        }
        XCTAssertNil(weakUpstream)
        XCTAssertNil(weakSubscriber)
    }

    func test_isDescribed() {
        let publisher = TestPublisher<Int, TestFailure>().eraseToAnyPublisher()
        XCTAssertEqual("\(publisher)", "AnyPublisher")
        XCTAssertEqual(publisher.playgroundDescription as? String, "AnyPublisher")
    }
}
