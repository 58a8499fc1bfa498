import Dispatch
import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ParallelTests: XCTestCase {
    func test_ordersResultsOrPublishesThemAsTheyCome() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (1...6).publisher.parallel(3).run(on: scheduler)
                .flatMap { Just($0).delay(for: .seconds(10 - $0), scheduler: scheduler) }
                .filter { $0 != 4 }
                .map { $0 * 10 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values.sorted(), [10, 20, 30, 50, 60])
            XCTAssertEqual(subscriber.values == subscriber.values.sorted(), ordered)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_stagesWithoutASchedulerDoTheSame() {
        for ordered in [true, false] {
            let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
            (1...6).publisher.parallel(3)
                .filter { $0 != 4 }
                .compactMap { $0 == 2 ? nil : $0 * 10 }
                .map { $0 + 1 }
                .flatMap { [$0, -$0].publisher }
                .map { $0 * 2 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [22, -22, 62, -62, 102, -102, 122, -122])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_continuesOnAnotherScheduler() {
        for ordered in [true, false] {
            let (first, second) = (TestScheduler(), TestScheduler())
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (1...6).publisher.parallel(3)
                .run(on: first).filter { $0 != 4 }.map { $0 * 10 }
                .run(on: second).compactMap { $0 == 60 ? nil : $0 + 1 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [])
            first.runUntilIdle()
            XCTAssertEqual(subscriber.values, [])
            while !subscriber.hasFinished {
                second.runUntilIdle()
                first.runUntilIdle()
            }
            XCTAssertEqual(subscriber.values, [11, 21, 31, 51])
        }
    }

    func test_doesNothingThatNobodyWaitsForAnyMore() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            var calls = 0
            (1...6).publisher.parallel(3).run(on: scheduler)
                .map { value -> Int in
                    calls += 1
                    return value
                }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            subscriber.cancel()
            scheduler.runUntilIdle()
            XCTAssertEqual(calls, 0)
            XCTAssertEqual(subscriber.values, [])
        }
    }

    func test_releasesWhatItHasDelivered() {
        let before = Tracked.count
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...6).publisher.parallel(3).map { _ in Tracked() }.run(on: scheduler).map { _ in 1 }
            .sequential(ordered: true)
            .subscribe(subscriber)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [1, 1, 1, 1, 1, 1])
        XCTAssertEqual(Tracked.count, before)
    }

    func test_requestsNoMoreThanThereAreRails() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.parallel(3).run(on: scheduler).compactMap { $0 }.sequential(ordered: false).subscribe(subscriber)
        for number in 1...10 { upstream.send(number) }
        XCTAssertEqual(upstream.requested, .max(3))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(upstream.requested, .max(6))
    }
}

final class ParallelConcurrencyTests: XCTestCase {
    func test_losesNothingOnAConcurrentQueue() {
        let queue = DispatchQueue(label: "parallel", attributes: .concurrent)
        let done = expectation(description: "finished")
        let recorder = TestSubscriber<Int, Never>.checked(.unlimited)
        (0..<2000).publisher.parallel(4).run(on: queue).map { $0 }.sequential(ordered: true)
            .handleEvents(receiveCompletion: { _ in done.fulfill() })
            .subscribe(recorder)
        wait(for: [done], timeout: 120)
        XCTAssertEqual(recorder.values, Array(0..<2000))
    }
}
