import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// A stream that is cancelled while it changes to another upstream: that one is cancelled at once, and nothing retains
/// it or the subscriber.
final class LaterUpstreamTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    /// Connects the first publisher, and, when it has completed, those that a closure returns.
    private typealias Follow = (Hand, @escaping () -> Hand) -> AnyPublisher<Int, TestFailure>

    private let scheduler = TestScheduler()

    private var operators: [(name: String, fails: Bool, follow: Follow)] {
        [
            ("retry", true, { self.attempts($0, $1).retry(1).eraseToAnyPublisher() }),
            (
                "retry, without a delay", true,
                { self.attempts($0, $1).retry(self.policy(.zero), scheduler: self.scheduler).eraseToAnyPublisher() }
            ),
            (
                "retry, after a delay", true,
                {
                    self.attempts($0, $1).retry(self.policy(.seconds(1)), scheduler: self.scheduler)
                        .eraseToAnyPublisher()
                }
            ),
            ("retryWhen", true, { self.attempts($0, $1).retryWhen { $0 }.eraseToAnyPublisher() }),
            ("catch", true, { first, next in first.catch { _ in next() }.eraseToAnyPublisher() }),
            (
                "catch(where:)", true,
                { first, next in first.catch(where: { _ in true }) { _ in next() }.eraseToAnyPublisher() }
            ),
            ("append", false, { first, next in first.append(Deferred(createPublisher: next)).eraseToAnyPublisher() }),
            (
                "switchIfEmpty", false,
                { first, next in first.switchIfEmpty(to: Deferred(createPublisher: next)).eraseToAnyPublisher() }
            ),
            ("repeat", false, { self.attempts($0, $1).repeat(times: 2).eraseToAnyPublisher() }),
            (
                "concatMap", false,
                { first, next in
                    [0, 1].publisher.setFailureType(to: TestFailure.self).concatMap { $0 == 0 ? first : next() }
                        .eraseToAnyPublisher()
                }
            ),
            (
                "flatMap", false,
                { first, next in
                    [0, 1].publisher.setFailureType(to: TestFailure.self)
                        .flatMap(maxPublishers: .max(1)) { $0 == 0 ? first : next() }.eraseToAnyPublisher()
                }
            ),
            (
                "flatMapSequential", false,
                { first, next in
                    [0, 1].publisher.setFailureType(to: TestFailure.self)
                        .flatMapSequential(maxConcurrent: 1) { $0 == 0 ? first : next() }.eraseToAnyPublisher()
                }
            ),
            (
                "switchToLatest", false,
                { first, next in
                    first.map { _ in 0 }.append(1).map { $0 == 0 ? Hand() : next() }.switchToLatest()
                        .eraseToAnyPublisher()
                }
            ),
        ]
    }

    private func policy(_ delay: Duration) -> RetryPolicy { RetryPolicy(retries: 1, backoff: .constant(delay)) }

    /// The first publisher for the first subscriber, and those that a closure returns for others.
    private func attempts(_ first: Hand, _ next: @escaping () -> Hand) -> Deferred<Hand> {
        var isFirst = true
        return Deferred {
            defer { isFirst = false }
            return isFirst ? first : next()
        }
    }

    func test_cancelWhileTheNextUpstreamIsMade() {
        for (name, fails, follow) in operators {
            let (first, later) = (Hand(), Hand())
            weak var released: TestSubscriber<Int, TestFailure>?
            var made = 0
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                released = subscriber
                follow(first) { [unowned subscriber] in
                    made += 1
                    subscriber.cancel()
                    return later
                }.subscribe(subscriber)
                first.send(completion: fails ? .failure(.first) : .finished)
                scheduler.runUntilIdle()
                XCTAssertEqual(subscriber.received.count, 1, "\(name): \(subscriber.received)")
            }
            XCTAssertEqual(made, 1, name)
            XCTAssertEqual(later.cancelCount, later.subscriptionCount, name)
            XCTAssertEqual(later.requested, .none, name)
            XCTAssertTrue(later.areSubscriptionsReleased, name)
            XCTAssertNil(released, name)
        }
    }

    func test_cancelBeforeTheNextUpstreamHasSentItsSubscription() {
        for (name, fails, follow) in operators {
            let (first, later) = (Hand(), Hand(sendsSubscription: false))
            weak var released: TestSubscriber<Int, TestFailure>?
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                released = subscriber
                follow(first) { later }.subscribe(subscriber)
                first.send(completion: fails ? .failure(.first) : .finished)
                scheduler.runUntilIdle()
                subscriber.cancel()
            }
            XCTAssertEqual(later.subscriptionCount, 1, name)
            XCTAssertEqual(later.sendSubscription().map(\.cancelCount), [1], name)
            XCTAssertEqual(later.requested, .none, name)
            XCTAssertTrue(later.areSubscriptionsReleased, name)
            XCTAssertNil(released, name)
        }
    }

    func test_cancelBetweenAFailureAndTheNextAttempt() {
        let trigger = TestPublisher<Void, Never>()
        let pauses: [(name: String, follow: Follow)] = [
            (
                "retry",
                {
                    self.attempts($0, $1).retry(self.policy(.seconds(1)), scheduler: self.scheduler)
                        .eraseToAnyPublisher()
                }
            ), ("retryWhen", { self.attempts($0, $1).retryWhen { _ in trigger }.eraseToAnyPublisher() }),
        ]
        for (name, follow) in pauses {
            let first = Hand()
            weak var released: TestSubscriber<Int, TestFailure>?
            var made = 0
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                released = subscriber
                follow(first) {
                    made += 1
                    return Hand()
                }.subscribe(subscriber)
                first.fail(.first)
                subscriber.cancel()
            }
            XCTAssertNil(released, name)
            scheduler.runUntilIdle()
            trigger.send(())
            XCTAssertEqual(made, 0, name)
        }
    }
}
