import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class ResourceTests: XCTestCase {
    private final class Log: Sendable {
        private let lines = Guarded<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let log = Log()

    private func numbers(_ count: Int, failing: Int? = nil) -> Publishers.ReadResource<Int, Int, TestFailure> {
        Publishers.resource {
            [log] () throws(TestFailure) in
            log.note("open")
            return 0
        } read: { (position: inout Int) throws(TestFailure) -> Int? in
            if position == failing { throw .first }
            position += 1
            return position > count ? nil : position
        } close: { [log] position in
            log.note("close at \(position)")
        }
    }

    func test_opensAtTheFirstDemandAndClosesBeforeTheEnd() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        numbers(2)
            .handleEvents(receiveCompletion: { [log] _ in log.note("completion") })
            .subscribe(subscriber)
        XCTAssertEqual(log.all, [])
        subscriber.request(.max(1))
        XCTAssertEqual(log.all, ["open"])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(log.all, ["open", "close at 3", "completion"])
    }

    func test_closesOnceWhenReadThrows() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        numbers(9, failing: 1).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(log.all, ["open", "close at 1"])
    }

    func test_closesOnceWhenCancelledBetweenReads() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        numbers(9).subscribe(subscriber)
        XCTAssertEqual(log.all, ["open"])
        subscriber.cancel()
        XCTAssertEqual(log.all, ["open", "close at 2"])
    }

    func test_closesOnceWhenCancelledInsideADelivery() {
        for demand in [DemandScript.first(9), .unlimited] {
            let log = Log()
            let subscriber = TestSubscriber<Int, Never>.checked(demand) { subscriber, value in
                if value == 2 { subscriber.cancel() }
            }
            Publishers.resource {
                0
            } read: { (position: inout Int) -> Int? in
                position += 1
                return position
            } close: {
                log.note("close at \($0)")
            }.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertEqual(log.all, ["close at 2"])
        }
    }

    func test_closesWhenTheSubscriptionIsReleased() {
        var subscription: (any Subscription)?
        numbers(9).subscribe(
            AnySubscriber(receiveSubscription: {
                subscription = $0
                $0.request(.max(1))
            }))
        XCTAssertEqual(log.all, ["open"])
        XCTAssertNotNil(subscription)
        subscription = nil
        XCTAssertEqual(log.all, ["open", "close at 1"])
    }

    func test_neitherOpensNorClosesWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        numbers(9).subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(log.all, [])
    }

    func test_failsAndClosesNothingWhenItCannotBeOpened() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        Publishers.resource { () throws(TestFailure) -> Int in
            throw .second
        } read: { (_: inout Int) throws(TestFailure) -> Int? in
            1
        } close: { [log] _ in
            log.note("close")
        }.subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(log.all, [])
    }
}

final class AsyncResourceTests: XCTestCase {
    private final class Log: Sendable {
        private let lines = Guarded<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func numbers(_ log: Log, failing: Int? = nil) -> Publishers.ReadAsyncResource<Int, Int, TestFailure> {
        Publishers.resource {
            () async throws(TestFailure) -> Int in
            log.note("open")
            await Task.yield()
            return 0
        } read: { (position: inout Int) async throws(TestFailure) -> Int? in
            await Task.yield()
            if position == failing { throw .first }
            position += 1
            return position > 3 ? nil : position
        } close: { position in
            await Task.yield()
            log.note(Task.isCancelled ? "close in a cancelled task" : "close")
        }
    }

    func test_readsWhatIsRequestedAndClosesBeforeTheEnd() {
        let log = Log()
        let executor = TestExecutor()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        executor.adopt {
            numbers(log).handleEvents(receiveCompletion: { _ in log.note("completion") }).subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(log.all, [])
        subscriber.request(.max(2))
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(log.all, ["open"])
        subscriber.request(.max(2))
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(log.all, ["open", "close", "completion"])
    }

    func test_closesOnceWhenReadThrows() {
        let log = Log()
        let executor = TestExecutor()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        executor.adopt { numbers(log, failing: 1).subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(log.all, ["open", "close"])
    }

    func test_closesOnceInATaskThatIsNotCancelledWhereverItIsCancelled() {
        for steps in 0...20 {
            for isReleased in [false, true] {
                let log = Log()
                let executor = TestExecutor()
                var subscription: (any Subscription)?
                executor.adopt {
                    numbers(log).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
                }
                subscription?.request(.max(2))
                for _ in 0..<steps { executor.step() }
                if isReleased { subscription = nil } else { subscription?.cancel() }
                executor.run()
                XCTAssertEqual(log.all.count { $0 == "open" }, log.all.count { $0 == "close" }, "after \(steps) steps")
                XCTAssertLessThanOrEqual(log.all.count, 2)
                XCTAssertEqual(executor.count, 0)
            }
        }
    }
}
