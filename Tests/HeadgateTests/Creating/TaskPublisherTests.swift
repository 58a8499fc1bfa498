import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class TaskPublisherTests: XCTestCase {
    private let executor = TestExecutor()

    func test_beginsAtTheFirstDemandAndFinishesAfterTheValue() {
        let runs = Atomic(0)
        let subscriber = TestSubscriber<Int, Never>.checked()
        executor.adopt {
            Publishers.task {
                runs.add(1, ordering: .relaxed)
                return 7
            }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(runs.load(ordering: .relaxed), 0)
        subscriber.request(.max(1))
        executor.run()
        XCTAssertEqual(subscriber.values, [7])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsWithTheErrorThatIsThrown() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        executor.adopt {
            Publishers.task { () async throws(TestFailure) -> Int in throw .second }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_isCancelledAtEveryPointAtWhichItCanWait() {
        for steps in 0...5 {
            let executor = TestExecutor()
            let cancelled = Atomic(false)
            let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
            executor.adopt {
                Publishers.task {
                    await Task.yield()
                    cancelled.store(Task.isCancelled, ordering: .relaxed)
                    return 7
                }.subscribe(subscriber)
            }
            for _ in 0..<steps { executor.step() }
            let received = subscriber.values
            subscriber.cancel()
            executor.run()
            XCTAssertEqual(subscriber.values, received)
            XCTAssertEqual(executor.count, 0)
        }
    }
}
