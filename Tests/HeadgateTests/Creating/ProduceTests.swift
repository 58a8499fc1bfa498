import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private enum Trace { @TaskLocal static var id = "none" }

final class ProduceTests: XCTestCase {
    private let executor = TestExecutor()

    func test_isNeverMoreThanOneValueAhead() {
        let made = Atomic(0)
        let subscriber = TestSubscriber<Int, Never>.checked()
        executor.adopt {
            Publishers.produce(Int.self, failure: Never.self) { yield throws(CancellationError) in
                for value in 1... {
                    made.store(value, ordering: .relaxed)
                    try await yield(value)
                }
            }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(made.load(ordering: .relaxed), 0, "it begins at the first demand")
        for demand in 1...3 {
            subscriber.request(.max(1))
            executor.run()
            XCTAssertEqual(subscriber.values, Array(1...demand))
            XCTAssertEqual(made.load(ordering: .relaxed), demand + 1)
        }
        subscriber.cancel()
        executor.run()
        XCTAssertEqual(made.load(ordering: .relaxed), 4)
    }

    func test_finishesAfterTheLastValueWithoutFurtherDemand() {
        let subscriber = TestSubscriber<Int, any Error>.checked(.first(2))
        executor.adopt {
            Publishers.produce(Int.self) { yield in for value in 1...2 { try await yield(value) } }
                .subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsWithTheErrorThatIsThrownAndKeepsItsType() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        executor.adopt {
            Publishers.produce(Int.self, failure: TestFailure.self) { yield throws(TestFailure) in
                guard await yield.send(1) else { return }
                throw TestFailure.second
            }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_isCancelledAtEveryPointAtWhichItCanWait() {
        for steps in 0...12 {
            let executor = TestExecutor()
            let ended = Atomic(0)
            let begun = Atomic(0)
            let living = Tracked.count
            let subscriber = TestSubscriber<Tracked, any Error>.checked(.first(2))
            executor.adopt {
                Publishers.produce(Tracked.self) { yield in
                    begun.add(1, ordering: .relaxed)
                    defer { ended.add(1, ordering: .relaxed) }
                    while true {
                        await Task.yield()
                        try await yield(Tracked())
                    }
                }.map { $0 }.subscribe(subscriber)
            }
            for _ in 0..<steps { executor.step() }
            let received = subscriber.values.count
            subscriber.cancel()
            executor.run()
            XCTAssertEqual(subscriber.values.count, received)
            XCTAssertNil(subscriber.completion)
            XCTAssertEqual(begun.load(ordering: .relaxed), ended.load(ordering: .relaxed), "after \(steps) steps")
            XCTAssertEqual(Tracked.count, living + received)
        }
    }

    func test_aTaskThatCancelsItselfIsNotified() {
        let subscriber = TestSubscriber<Int, any Error>.checked()
        executor.adopt {
            Publishers.produce(Int.self) { yield in
                withUnsafeCurrentTask { $0?.cancel() }
                try await yield(1)
                try await yield(2)
            }.subscribe(subscriber)
        }
        subscriber.request(.max(1))
        executor.run()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.failure is CancellationError)
    }

    func test_releasingTheSubscriptionEndsTheTask() {
        var subscription: (any Subscription)?
        let ended = Atomic(false)
        executor.adopt {
            Publishers.produce(Int.self) { yield in
                defer { ended.store(true, ordering: .relaxed) }
                while true { try await yield(1) }
            }.subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        }
        subscription?.request(.max(1))
        executor.run()
        XCTAssertFalse(ended.load(ordering: .relaxed))
        subscription = nil
        executor.run()
        XCTAssertTrue(ended.load(ordering: .relaxed))
        XCTAssertEqual(executor.count, 0)
    }

    func test_hasTheTaskLocalsOfThePlaceOfSubscription() {
        let subscriber = TestSubscriber<String, any Error>.checked()
        let publisher = Publishers.produce(String.self) { yield in try await yield(Trace.id) }
        Trace.$id.withValue("subscribed") {
            executor.adopt { publisher.subscribe(subscriber) }
        }
        Trace.$id.withValue("requested") { subscriber.request(.max(1)) }
        executor.run()
        XCTAssertEqual(subscriber.values, ["subscribed"])
    }

    func test_servesAMillionOnRealThreads() async {
        let count = Scale.reduced(1_000_000)
        var expected = 0
        let numbers = Publishers.produce(Int.self, failure: Never.self) { yield throws(CancellationError) in
            for value in 0..<count { try await yield(value) }
        }
        for await value in numbers.values {
            if value != expected { return XCTFail("\(value) instead of \(expected)") }
            expected += 1
        }
        XCTAssertEqual(expected, count)
    }
}

final class ProduceConcurrencyTests: XCTestCase {
    func test_aHundredThousandThatAreCancelledLeaveNothing() {
        let living = Tracked.count
        let rounds = Scale.reduced(100_000)
        for round in 0..<rounds {
            let witness = Tracked()
            let subscriber = TestSubscriber<Int, any Error>.checked(round % 3 == 0 ? .none : .first(round % 3))
            Publishers.produce(Int.self) { [witness] yield in
                while true {
                    _ = witness
                    try await yield(1)
                }
            }.subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertTrue(waitUntil(timeout: 60_000) { Tracked.count == living })
    }
}
