import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// A million elements through the operators that could recurse, asked for at once and one by one.
final class LongStreamTests: XCTestCase {
    private let count = Scale.reduced(1_000_000)

    private enum Requesting: CaseIterable {
        case everythingAtOnce, oneByAnswering, oneByRequesting
    }

    /// Counts what comes in each of the three ways of asking, and looks at the stack.
    private func check<P: Publisher>(
        _ publisher: P, count expected: Int, file: StaticString = #filePath, line: UInt = #line
    ) where P.Output == Int {
        for requesting in Requesting.allCases {
            let depth = StackDepth()
            var received = 0
            var hasFinished = false
            var upstream: (any Subscription)?
            publisher.subscribe(
                AnySubscriber(
                    receiveSubscription: { subscription in
                        upstream = subscription
                        subscription.request(requesting == .everythingAtOnce ? .unlimited : .max(1))
                    },
                    receiveValue: { _ in
                        depth.note()
                        received += 1
                        if requesting == .oneByRequesting { upstream?.request(.max(1)) }
                        return requesting == .oneByAnswering ? .max(1) : .none
                    },
                    receiveCompletion: { _ in hasFinished = true }))
            XCTAssertEqual(received, expected, "\(requesting)", file: file, line: line)
            XCTAssertTrue(hasFinished, "\(requesting)", file: file, line: line)
            XCTAssertLessThan(depth.spread, 8192, "\(requesting)", file: file, line: line)
        }
    }

    func test_flatMapOneAtATime() {
        check((0..<count).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }, count: count)
    }

    func test_flatMap() {
        check((0..<count).publisher.flatMap { Just($0) }, count: count)
    }

    func test_switchToLatest() {
        check((0..<count / 4).publisher.map { Just($0) }.switchToLatest(), count: count / 4)
    }

    func test_append() {
        check((0..<count / 2).publisher.map { $0 }.append((0..<count / 2).publisher), count: count / 2 * 2)
    }

    func test_prefix() {
        check((0...).publisher.map { $0 }.prefix(count), count: count)
    }

    func test_zip() {
        check((0..<count / 4).publisher.zip((0...).publisher) { $0 + $1 }, count: count / 4)
    }

    func test_buffer() {
        check(
            (0..<count).publisher.buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest), count: count)
    }

    func test_retry() {
        var attempts = 0
        let failing = Deferred {
            attempts += 1
            return attempts % 100 == 0
                ? Just(attempts).setFailureType(to: TestFailure.self).eraseToAnyPublisher()
                : Fail(error: TestFailure.first).eraseToAnyPublisher()
        }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        attempts = 1
        failing.retry(count / 4).prefix(1).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [100])

        let depth = StackDepth()
        var tries = 0
        let hopeless = Deferred { () -> Fail<Int, TestFailure> in
            tries += 1
            depth.note()
            return Fail(error: TestFailure.first)
        }
        let loser = TestSubscriber<Int, TestFailure>.checked(.first(1))
        hopeless.retry(count / 4).subscribe(loser)
        XCTAssertEqual(loser.failure, .first)
        XCTAssertEqual(tries, count / 4 + 1)
        XCTAssertLessThan(depth.spread, 8192)
    }

    func test_merge() {
        check((0..<count / 4).publisher.merge(with: (0..<count / 4).publisher), count: count / 4 * 2)
    }
}
