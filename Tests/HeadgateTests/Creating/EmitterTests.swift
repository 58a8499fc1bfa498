import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class EmitterTests: XCTestCase {
    private typealias Answer = Emitter<Int, TestFailure>.Answer

    private func emitter(
        _ buffering: Publishers.EmitterBuffering<TestFailure>, to subscriber: TestSubscriber<Int, TestFailure>
    ) -> Emitter<Int, TestFailure> {
        var emitter: Emitter<Int, TestFailure>?
        Publishers.emitter(Int.self, failure: TestFailure.self, buffering: buffering) { emitter = $0 }
            .subscribe(subscriber)
        return emitter!
    }

    func test_deliversWhatIsRequestedAndSaysWhatBecomesOfTheRest() {
        let cases: [(Publishers.EmitterBuffering<TestFailure>, [Answer], [Int])] = [
            (.unbounded, [.sent, .buffered, .buffered, .buffered], [1, 2, 3, 4]),
            (.bounded(2, .dropOldest), [.sent, .buffered, .buffered, .buffered], [1, 3, 4]),
            (.bounded(2, .dropNewest), [.sent, .buffered, .buffered, .dropped], [1, 2, 3]),
            (.bounded(0, .dropOldest), [.sent, .dropped, .dropped, .dropped], [1]),
            (.latest, [.sent, .buffered, .buffered, .buffered], [1, 4]),
            (.none, [.sent, .dropped, .dropped, .dropped], [1]),
        ]
        for (buffering, answers, values) in cases {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
            let emitter = emitter(buffering, to: subscriber)
            XCTAssertEqual((1...4).map { emitter.send($0) }, answers, "\(buffering)")
            XCTAssertEqual(subscriber.values, [1], "\(buffering)")
            emitter.finish()
            subscriber.request(.unlimited)
            XCTAssertEqual(subscriber.values, values, "\(buffering)")
            XCTAssertTrue(subscriber.hasFinished, "\(buffering)")
            XCTAssertEqual(emitter.send(5), .finished)
        }
    }

    func test_failsWhereThereIsNoRoomAfterWhatIsKept() {
        let cancelled = Atomic(0)
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        let emitter = emitter(.bounded(1, .fail(.second)), to: subscriber)
        emitter.onCancel { cancelled.add(1, ordering: .relaxed) }
        XCTAssertEqual([1, 2, 3].map { emitter.send($0) }, [.buffered, .dropped, .finished])
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(cancelled.load(ordering: .relaxed), 1)
    }

    func test_everyDroppedValueCanBeObserved() {
        let dropped = Guarded<[Int]>([])
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        let emitter = emitter(.latest, to: subscriber)
        emitter.onDrop { value in dropped.withLock { $0.append(value) } }
        (1...4).forEach { emitter.send($0) }
        XCTAssertEqual(dropped.withLock { $0 }, [1, 2, 3])
    }

    func test_reportsDemandThatCameBeforeAndAfterAndTakesTurnsWithDeliveries() {
        let requests = Guarded<[Subscribers.Demand]>([])
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        let emitter = emitter(.none, to: subscriber)
        XCTAssertEqual(emitter.demand, .max(2))
        emitter.onRequest { demand in requests.withLock { $0.append(demand) } }
        subscriber.request(.max(3))
        XCTAssertEqual(requests.withLock { $0 }, [.max(2), .max(3)])
        XCTAssertEqual(emitter.demand, .max(5))
        emitter.send(1)
        XCTAssertEqual(emitter.demand, .max(4))
    }

    func test_aHundredThousandRequestsOneByOneAreFlat() {
        let count = Atomic(0)
        let goal = Scale.reduced(100_000)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, value in
            if value < goal { subscriber.request(.max(1)) }
        }
        Publishers.emitter(Int.self, buffering: .none) { emitter in
            emitter.onRequest { _ in emitter.send(count.add(1, ordering: .relaxed).newValue) }
        }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, goal)
        subscriber.cancel()
    }

    func test_cancelIsReportedOnceAndNothingIsReceivedAfterIt() {
        let cancelled = Atomic(0)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5)) { subscriber, value in
            if value == 2 { subscriber.cancel() }
        }
        let emitter = emitter(.unbounded, to: subscriber)
        emitter.onCancel { cancelled.add(1, ordering: .relaxed) }
        XCTAssertEqual([1, 2, 3].map { emitter.send($0) }, [.sent, .sent, .finished])
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(emitter.isFinished)
        XCTAssertEqual(cancelled.load(ordering: .relaxed), 1)
        emitter.onCancel { cancelled.add(10, ordering: .relaxed) }
        XCTAssertEqual(cancelled.load(ordering: .relaxed), 11, "whoever comes late hears at once")
    }

    func test_doesNotStartForWhoCancelsAtOnce() {
        var hasStarted = false
        Publishers.emitter(Int.self, buffering: .none) { _ in hasStarted = true }
            .subscribe(AnySubscriber(receiveSubscription: { $0.cancel() }))
        XCTAssertFalse(hasStarted)
    }

    func test_finishesWhenTheLastReferenceIsReleased() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        var emitter: Emitter<Int, TestFailure>? = emitter(.unbounded, to: subscriber)
        emitter?.send(1)
        emitter = nil
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_whatIsSentFromInsideADeliveryFollowsIt() {
        let sender = Guarded<Emitter<Int, TestFailure>?>(nil)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited) { _, value in
            if value < 4 { XCTAssertEqual(sender.withLock { $0 }?.send(value * 2), .sent) }
        }
        let emitter = emitter(.none, to: subscriber)
        sender.withLock { $0 = emitter }
        emitter.send(1)
        XCTAssertEqual(subscriber.values, [1, 2, 4])
        sender.withLock { $0 = nil }
    }

    func test_whatIsKeptDuringADeliveryIsServedByItsAnswer() {
        var emitter: Emitter<Int, Never>?
        var values: [Int] = []
        var subscription: (any Subscription)?
        let subscriber = AnySubscriber<Int, Never>(
            receiveSubscription: {
                subscription = $0
                $0.request(.max(1))
            },
            receiveValue: { value in
                values.append(value)
                if value < 3 { XCTAssertEqual(emitter?.send(value + 1), .buffered) }
                return .max(1)
            })
        Publishers.emitter(Int.self, buffering: .unbounded) { emitter = $0 }.subscribe(subscriber)
        XCTAssertEqual(emitter?.send(1), .sent)
        XCTAssertEqual(values, [1, 2, 3])
        subscription?.cancel()
        emitter = nil
    }

    func test_aValueFollowsWhatHasBeenAcceptedBefore() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let emitter = emitter(.unbounded, to: subscriber)
        emitter.keep(1)
        XCTAssertEqual(emitter.send(2), .sent)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_releasesValuesSubscriberAndHandlers() {
        let before = Tracked.count
        for isCancelled in [true, false] {
            var emitter: Emitter<Tracked, Never>?
            let subscriber = TestSubscriber<Tracked, Never>.checked()
            let witness = Tracked()
            Publishers.emitter(Tracked.self, buffering: .unbounded) { emitter = $0 }.subscribe(subscriber)
            emitter?.onCancel { [witness, emitter] in _ = (witness, emitter) }
            emitter?.onRequest { [witness, emitter] _ in _ = (witness, emitter) }
            emitter?.send(Tracked())
            if isCancelled {
                subscriber.cancel()
            } else {
                emitter?.finish()
                subscriber.request(.unlimited)
            }
            emitter = nil
        }
        XCTAssertEqual(Tracked.count, before)
    }
}

final class EmitterConcurrencyTests: XCTestCase {
    func test_fourThreadsLoseNothingAndNeverOverlap() {
        let count = Scale.reduced(100_000)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        nonisolated(unsafe) var emitter: Emitter<Int, Never>?
        Publishers.emitter(Int.self, buffering: .none) { emitter = $0 }.subscribe(subscriber)
        onThreads(4) { thread in
            for value in 0..<count { XCTAssertEqual(emitter?.send(value * 4 + thread), .sent) }
        }
        emitter?.finish()
        let values = subscriber.values
        XCTAssertEqual(values.count, 4 * count)
        for thread in 0..<4 {
            let own = values.filter { $0 % 4 == thread }
            XCTAssertEqual(own, own.sorted())
        }
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_whatIsAnsweredAgreesWithWhatArrives() {
        let rounds = Scale.reduced(50_000)
        let dropped = Atomic(0)
        let subscriber = TestSubscriber<Int, Never>.checked()
        nonisolated(unsafe) var emitter: Emitter<Int, Never>?
        Publishers.emitter(Int.self, buffering: .bounded(8, .dropNewest)) { emitter = $0 }.subscribe(subscriber)
        onThreads(3) { thread in
            for value in 0..<rounds {
                if thread == 2 {
                    subscriber.request(.max(1))
                } else if emitter?.send(value) == .dropped {
                    dropped.add(1, ordering: .relaxed)
                }
            }
        }
        emitter?.finish()
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values.count, 2 * rounds - dropped.load(ordering: .relaxed))
        XCTAssertTrue(subscriber.hasFinished)
    }
}

final class CreateTests: XCTestCase {
    func test_keepsEverythingAndCancelsWhatTheClosureReturnsAtTheEnd() {
        let cancelled = Atomic(0)
        let subscriber = TestSubscriber<Int, Never>.checked()
        AnyPublisher<Int, Never>.create { subscriber in
            (1...3).forEach { subscriber.send($0) }
            subscriber.send(completion: .finished)
            return AnyCancellable { cancelled.add(1, ordering: .relaxed) }
        }.subscribe(subscriber)
        XCTAssertEqual(cancelled.load(ordering: .relaxed), 1)
        subscriber.request(.max(2))
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(cancelled.load(ordering: .relaxed), 1)
    }

    func test_cancelsWhatTheClosureReturnsWithTheStreamAndWithTheSubscription() {
        for isReleased in [true, false] {
            let cancelled = Atomic(0)
            nonisolated(unsafe) var sender: Publishers.Create<Int, Never>.Subscriber?
            var subscription: (any Subscription)?
            var count = 0
            AnyPublisher<Int, Never> {
                sender = $0
                return AnyCancellable { cancelled.add(1, ordering: .relaxed) }
            }.subscribe(
                AnySubscriber(
                    receiveSubscription: { subscription = $0 },
                    receiveValue: { _ in
                        count += 1
                        return .none
                    }))
            XCTAssertEqual(cancelled.load(ordering: .relaxed), 0)
            if isReleased { subscription = nil } else { subscription?.cancel() }
            XCTAssertEqual(cancelled.load(ordering: .relaxed), 1)
            sender?.send(1)
            subscription?.request(.max(1))
            XCTAssertEqual(count, 0)
        }
    }
}
