import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

private final class Log: Sendable {
    private let lines = Guarded<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

final class UsingTests: XCTestCase {
    private let log = Log()

    private func using<P: Publisher>(_ upstream: P) -> Publishers.Using<Int, P> {
        Publishers.using { [log] () throws(P.Failure) -> Int in
            log.note("acquire")
            return 7
        } publisher: { _ in
            upstream
        } release: { [log] in
            log.note("release \($0)")
        }
    }

    func test_releasesBeforeTheEndIsReported() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let log = Log()
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
            Publishers.using { () throws(TestFailure) -> Int in
                1
            } publisher: { _ in
                upstream
            } release: { _ in
                log.note("release")
            }
            .handleEvents(receiveCompletion: { _ in log.note("completion") })
            .subscribe(subscriber)
            XCTAssertEqual(upstream.requested, .max(2))
            upstream.send(1)
            upstream.send(completion: ending)
            XCTAssertEqual(subscriber.completion, ending)
            XCTAssertEqual(log.all, ["release", "completion"])
        }
    }

    func test_releasesOnceAtCancel() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        using(upstream).subscribe(subscriber)
        XCTAssertEqual(log.all, ["acquire"])
        subscriber.cancel()
        subscriber.cancel()
        XCTAssertEqual(log.all, ["acquire", "release 7"])
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_releasesWhenNobodyIsLeft() {
        var subscription: (any Subscription)?
        using((1...3).publisher).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        XCTAssertNotNil(subscription)
        subscription = nil
        XCTAssertEqual(log.all, ["acquire", "release 7"])
    }

    func test_failsWhereNothingCanBeAcquired() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Publishers.using { () throws(TestFailure) -> Int in
            throw .second
        } publisher: { _ in
            Fail<Int, TestFailure>(error: .first)
        } release: { [log] _ in
            log.note("release")
        }.subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(log.all, [])
    }
}

final class AsyncUsingTests: XCTestCase {
    private func using(
        _ log: Log, _ upstream: TestPublisher<Int, TestFailure>
    ) -> some Publisher<Int, TestFailure> {
        return Publishers.using {
            () async throws(TestFailure) -> Int in
            log.note("acquire")
            await Task.yield()
            return 7
        } publisher: { _ in
            upstream
        } release: { _, outcome in
            await Task.yield()
            log.note("release: \(outcome)\(Task.isCancelled ? " in a cancelled task" : "")")
        }.handleEvents(receiveCompletion: { _ in log.note("completion") })
    }

    func test_theEndIsReportedWhenTheReleaseHasReturned() {
        for (ending, word) in [
            (Subscribers.Completion<TestFailure>.finished, "finished"),
            (.failure(.first), "failed(\(TestFailure.first))"),
        ] {
            let log = Log()
            let executor = TestExecutor()
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked()
            executor.adopt { using(log, upstream).subscribe(subscriber) }
            subscriber.request(.max(2))
            executor.run()
            XCTAssertEqual(upstream.requested, .max(2))
            upstream.send(1)
            upstream.send(completion: ending)
            XCTAssertNil(subscriber.completion)
            executor.run()
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.completion, ending)
            XCTAssertEqual(log.all.count, 3)
            XCTAssertTrue(log.all[1].hasPrefix("release: \(word.prefix(6))"), log.all[1])
            XCTAssertEqual(log.all.last, "completion")
        }
    }

    func test_releasesOnceWhereverItIsCancelled() {
        for steps in 0...16 {
            do {
                let log = Log()
                let executor = TestExecutor()
                let upstream = TestPublisher<Int, TestFailure>()
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
                executor.adopt { using(log, upstream).subscribe(subscriber) }
                for _ in 0..<steps { executor.step() }
                upstream.send(1)
                subscriber.cancel()
                executor.run()
                XCTAssertTrue(
                    log.all == [] || log.all == ["acquire", "release: cancelled"], "after \(steps): \(log.all)")
                XCTAssertFalse(upstream.isConnected)
            }
        }
    }
}
