import Headgate
import TestSupport
import XCTest

@testable import HeadgateTesting

/// While `cancel()` is under way, other threads may still deliver; when it has returned, one call may be left.
final class CancelElsewhereTests: XCTestCase {
    /// Delivers on another thread: so many values inside `cancel()`, and so many when that has returned.
    private final class Slow: Publisher, Subscription {
        typealias Output = Int
        typealias Failure = Never

        private let countInside: Int
        private var downstream: AnySubscriber<Int, Never>?

        init(countInside: Int) { self.countInside = countInside }

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
            downstream = AnySubscriber(subscriber)
            subscriber.receive(subscription: self)
        }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() { deliver(countInside) }

        func deliver(_ count: Int) {
            guard let downstream else { return }
            onThreads(1) { _ in for value in 0..<count { _ = downstream.receive(value) } }
        }
    }

    func test_valuesFromOtherThreadsAreFineUntilCancelReturns() {
        let publisher = Slow(countInside: 5)
        var reports: [ValidationReport] = []
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        publisher.validated("slow") { reports.append($0) }.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(reports, [])
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_aTestSubscriberTakesThemToo() {
        let publisher = Slow(countInside: 5)
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        publisher.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(subscriber.values.count, 5)
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_oneCallMayBeLeftWhenCancelHasReturned() {
        for (count, rules) in [(1, []), (2, [Rule.cancelElsewhere])] {
            let publisher = Slow(countInside: 0)
            let subscriber = TestSubscriber<Int, Never>(.unlimited)
            publisher.subscribe(subscriber)
            subscriber.cancel()
            publisher.deliver(count)
            XCTAssertEqual(subscriber.breaches.map(\.rule), rules)
        }
    }

    func test_theThreadThatCancelsReceivesNothingMeanwhile() {
        final class Answering: Subscription {
            var downstream: TestSubscriber<Int, Never>?
            func request(_ demand: Subscribers.Demand) {}
            func cancel() { downstream.take()?.receive(completion: .finished) }
        }
        let subscription = Answering()
        let subscriber = TestSubscriber<Int, Never>()
        subscription.downstream = subscriber
        subscriber.receive(subscription: subscription)
        subscriber.cancel()
        XCTAssertEqual(subscriber.breaches.map(\.rule), [.cancelStopsDelivery])
    }
}
