import Dispatch
import HeadgateCombine
import Synchronization
import HeadgateTesting
import TestSupport
import XCTest

final class FutureTests: XCTestCase {
    private typealias Pending = (
        future: Future<Int, TestFailure>, promise: @Sendable (Result<Int, TestFailure>) -> Void
    )

    private func pending() -> Pending {
        var promise: (@Sendable (Result<Int, TestFailure>) -> Void)?
        let future = Future<Int, TestFailure> { promise = $0 }
        return (future, promise ?? { _ in XCTFail("The closure is called at once.") })
    }

    func test_deliversToWaitingSubscribersInTheOrderInWhichTheyCame() {
        let (future, promise) = pending()
        var order: [Int] = []
        let subscribers = (0..<20).map { index in
            let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1)) { _, _ in
                order.append(index)
                return .none
            }
            future.subscribe(subscriber)
            return subscriber
        }
        promise(.success(7))
        XCTAssertEqual(order, Array(0..<20))
        for subscriber in subscribers {
            XCTAssertEqual(
                subscriber.events, [.subscription("Future"), .request(.max(1)), .value(7), .completion(.finished)])
        }
    }

    func test_deliversToALateSubscriber() {
        let (future, promise) = pending()
        promise(.success(7))
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Future")])
        subscriber.request(1)
        XCTAssertEqual(
            subscriber.events, [.subscription("Future"), .request(.max(1)), .value(7), .completion(.finished)])
    }

    func test_keepsTheValueForEachSubscriberUntilItRequestsOne() {
        let (future, promise) = pending()
        let first = TestSubscriber<Int, TestFailure>.checked()
        let second = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(first)
        future.subscribe(second)
        promise(.success(7))
        XCTAssertEqual(first.values, [])
        second.request(.none)
        XCTAssertEqual(second.values, [])
        first.request(1)
        XCTAssertEqual(first.values, [7])
        XCTAssertEqual(second.values, [])
        second.request(.unlimited)
        XCTAssertTrue(second.hasFinished)
    }

    func test_failsWithoutDemand() {
        let (future, promise) = pending()
        let waiting = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(waiting)
        promise(.failure(.first))
        XCTAssertEqual(waiting.events, [.subscription("Future"), .completion(.failure(.first))])
        let late = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(late)
        XCTAssertEqual(late.events, [.subscription("Future"), .completion(.failure(.first))])
    }

    func test_keepsToTheFirstOutcome() {
        let (future, promise) = pending()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        future.subscribe(subscriber)
        promise(.success(1))
        promise(.success(2))
        promise(.failure(.first))
        XCTAssertEqual(subscriber.values, [1])
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        future.subscribe(late)
        XCTAssertEqual(late.values, [1])
    }

    func test_setsToWorkOnceWhetherOrNotAnybodySubscribes() {
        var calls = 0
        let future = Future<Int, Never> { promise in
            calls += 1
            promise(.success(calls))
        }
        XCTAssertEqual(calls, 1)
        for _ in 0..<3 {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            future.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [1])
        }
    }

    func test_isSilentAfterCancel() {
        let (future, promise) = pending()
        let before = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let after = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(before)
        future.subscribe(after)
        before.cancel()
        promise(.success(7))
        let subscription = after.subscription
        after.cancel()
        subscription?.request(.unlimited)
        XCTAssertEqual(before.events, [.subscription("Future"), .request(.unlimited), .cancel])
        XCTAssertEqual(after.events, [.subscription("Future"), .cancel])
    }

    func test_doesNotFinishWhenCancelledFromInsideTheDelivery() {
        let (future, promise) = pending()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { subscriber, _ in
            subscriber.request(1)
            subscriber.cancel()
            return .max(1)
        }
        future.subscribe(subscriber)
        promise(.success(7))
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("Future"), .request(.unlimited), .value(7), .request(.max(1)), .cancel, .answer(.max(1)),
            ])
    }

    func test_sendsNothingBeforeTheSubscription() {
        let (future, promise) = pending()
        var events: [String] = []
        future.subscribe(
            AnySubscriber(
                receiveSubscription: { subscription in
                    events.append("subscription")
                    subscription.request(.max(1))
                    promise(.success(7))
                    events.append("after the promise")
                },
                receiveValue: { value in
                    events.append("\(value)")
                    return .none
                },
                receiveCompletion: { events.append("\($0)") }))
        XCTAssertEqual(events, ["subscription", "after the promise", "7", "finished"])
    }

    func test_maySubscribeAndFulfillFromInsideADelivery() {
        let (future, promise) = pending()
        let inner = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let outer = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { _, _ in
            promise(.success(9))
            future.subscribe(inner)
            return .none
        }
        future.subscribe(outer)
        promise(.success(7))
        XCTAssertEqual(outer.values + inner.values, [7, 7])
    }

    func test_servesEachSubscriberOnceThatSubscribesAndRequestsOnOtherThreadsMeanwhile() {
        for _ in 0..<100 {
            let (future, promise) = pending()
            let values = Atomic(0)
            let completions = Atomic(0)
            onThreads(9) { index in
                if index == 4 { return promise(.success(index)) }
                var subscription: (any Subscription)?
                future.subscribe(
                    AnySubscriber(
                        receiveSubscription: { subscription = $0 },
                        receiveValue: { _ in
                            values.add(1, ordering: .relaxed)
                            return .max(1)
                        },
                        receiveCompletion: { _ in completions.add(1, ordering: .relaxed) }))
                if index == 5 { subscription?.cancel() }
                subscription?.request(.max(1))
                if index == 6 { subscription?.request(.max(1)) }
            }
            XCTAssertEqual(values.load(ordering: .acquiring), 7)
            XCTAssertEqual(completions.load(ordering: .acquiring), 7)
        }
    }

    func test_servesEveryoneOnceWhenSeveralThreadsFulfill() {
        for _ in 0..<100 {
            let (future, promise) = pending()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            future.subscribe(subscriber)
            onThreads(4) { promise(.success($0)) }
            XCTAssertEqual(subscriber.values.count, 1)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_releasesSubscribersWhenTheyEnd() {
        let (future, promise) = pending()
        assertReleases(endings: [.cancel]) { _ in future }
        promise(.success(7))
        assertReleases { _ in future }
    }

    func test_releasesASubscriberThatCancelsWhileItIsEntered() {
        /// Cancels when its identifier is read: after its subscription, and before it is on anybody's list.
        final class Fickle: Subscriber {
            var subscription: (any Subscription)?

            var combineIdentifier: CombineIdentifier {
                subscription?.cancel()
                return CombineIdentifier(self)
            }

            func receive(subscription: any Subscription) { self.subscription = subscription }
            func receive(_ input: Int) -> Subscribers.Demand { .none }
            func receive(completion: Subscribers.Completion<TestFailure>) { XCTFail("It has cancelled.") }
        }
        let (future, promise) = pending()
        weak var weakSubscriber: Fickle?
        do {
            let subscriber = Fickle()
            weakSubscriber = subscriber
            future.subscribe(subscriber)
            subscriber.subscription = nil
        }
        XCTAssertNil(weakSubscriber)
        promise(.failure(.first))
    }

    func test_releasesSubscribersWhenNobodyCanFulfillThePromise() {
        let before = Tracked.count
        var subscription: (any Subscription)?
        do {
            let witness = Tracked()
            Future<Int, Never> { _ in }.subscribe(
                AnySubscriber(
                    receiveSubscription: {
                        subscription = $0
                        $0.request(.unlimited)
                    },
                    receiveValue: { _ in
                        _ = witness
                        return .none
                    }))
        }
        XCTAssertEqual(Tracked.count, before)
        subscription?.cancel()
    }

    func test_isKeptAliveByThePromise() {
        var promise: (@Sendable (Result<Int, Never>) -> Void)?
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Future<Int, Never> { promise = $0 }.subscribe(subscriber)
        promise?(.success(7))
        XCTAssertEqual(subscriber.values, [7])
    }

    func test_givesItsPromiseToFunctionsThatKnowCombinesType() {
        func work(_ promise: @escaping Future<Int, Never>.Promise) { promise(.success(7)) }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Future(work).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [7])
    }

    func test_isAwaited() async throws {
        let now = Future<Int, Never> { $0(.success(7)) }
        let nowValue = await now.value
        XCTAssertEqual(nowValue, 7)
        let later = Future<Int, TestFailure> { promise in DispatchQueue.global().async { promise(.success(8)) } }
        let laterValue = try await later.value
        XCTAssertEqual(laterValue, 8)
    }

    @MainActor
    func test_isAwaitedOnAnActorWithoutLeavingIt() async {
        final class Thing: @unchecked Sendable { var number = 7 }
        let thing = Thing()
        let future = Future<Thing, Never> { $0(.success(thing)) }
        let value = await future.value
        value.number += 1
        XCTAssertEqual(thing.number, 8)
    }

    func test_throwsItsFailureToTheTaskThatAwaits() async {
        do {
            _ = try await Future<Int, TestFailure> { $0(.failure(.first)) }.value
            XCTFail("It fails.")
        } catch {
            XCTAssertEqual(error as? TestFailure, .first)
        }
    }

    func test_throwsACancellationErrorToATaskThatIsCancelled() async {
        let (future, promise) = pending()
        let task = Task { try await future.value }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        withExtendedLifetime(promise) {}
    }

    func test_finishesWaitingAndLaterSubscribersWhenThePromiseIsDropped() {
        var promise: (@Sendable (Result<Int, TestFailure>) -> Void)?
        let future = Future<Int, TestFailure> { promise = $0 }
        XCTAssertNotNil(promise)
        let waiting = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let idle = TestSubscriber<Int, TestFailure>.checked()
        let gone = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        for subscriber in [waiting, idle, gone] { future.subscribe(subscriber) }
        gone.cancel()
        promise = nil
        XCTAssertEqual(waiting.events, [.subscription("Future"), .request(.unlimited), .completion(.finished)])
        XCTAssertEqual(idle.events, [.subscription("Future"), .completion(.finished)])
        XCTAssertEqual(gone.events, [.subscription("Future"), .request(.unlimited), .cancel])
        let late = TestSubscriber<Int, TestFailure>.checked()
        future.subscribe(late)
        XCTAssertTrue(late.hasFinished)
    }

    func test_throwsACancellationErrorToATaskWhenThePromiseIsDropped() async {
        let (started, start) = AsyncStream<Void>.makeStream()
        nonisolated(unsafe) var promise: (@Sendable (Result<Int, TestFailure>) -> Void)?
        let future = Future<Int, TestFailure> { promise = $0 }
        let task = Task {
            start.yield()
            return try await future.value
        }
        for await _ in started { break }
        promise = nil
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertNil(promise)
    }
}
