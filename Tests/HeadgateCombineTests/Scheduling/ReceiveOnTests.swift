import Dispatch
import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// What one thread at a time may touch, and the count of those that did so at the same time.
private final class Log: @unchecked Sendable {
    var values: [Int] = []
    private let isBusy = Atomic(false)
    let overlaps = Atomic(0)

    func append(_ value: Int) {
        if isBusy.exchange(true, ordering: .acquiringAndReleasing) { overlaps.add(1, ordering: .relaxed) }
        values.append(value)
        isBusy.store(false, ordering: .releasing)
    }
}

final class ReceiveOnTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_handsTheSubscriptionOverAtOnceAndTheRestOnTheScheduler() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.receive(on: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        XCTAssertEqual(subscriber.events, [.subscription("ReceiveOn"), .request(.unlimited)])
        scheduler.runDue()
        XCTAssertEqual(
            subscriber.events,
            [.subscription("ReceiveOn"), .request(.unlimited), .value(1), .value(2), .completion(.finished)])
    }

    func test_forwardsFailureAfterTheValues() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.receive(on: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_completesWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.receive(on: scheduler).subscribe(subscriber)
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_forwardsDemandAsItIs() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(2)) { _, value in
            value == 1 ? .max(3) : .none
        }
        upstream.receive(on: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        scheduler.runDue()
        subscriber.request(.none)
        subscriber.request(1)
        subscriber.request(.unlimited)
        XCTAssertEqual(
            upstream.calls, [.request(.max(2)), .request(.max(3)), .request(.max(1)), .request(.unlimited)])
    }

    func test_schedulesOneJobForAllThatWaitsAndForwardsOptions() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let options = TestScheduler.SchedulerOptions(label: "options")
        upstream.receive(on: scheduler, options: options).subscribe(subscriber)
        for value in 1...100 { upstream.send(value) }
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, Array(1...100))
    }

    func test_deliversEverythingThatWasSentBeforeAnotherJobWasScheduled() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.receive(on: scheduler).subscribe(subscriber)
        for value in 1...10_000 { upstream.send(value) }
        var seen = 0
        scheduler.schedule { seen = subscriber.values.count }
        upstream.send(10_001)
        scheduler.runDue()
        XCTAssertEqual(seen, 10_001, "that is the same job, and it had not begun")
        XCTAssertEqual(subscriber.values, Array(1...10_001))
    }

    func test_deliversWhatArrivesDuringAJobInTheNextOne() {
        var seen: [[Int]] = []
        var received: [Int] = []
        let scheduler = self.scheduler
        let upstream = self.upstream
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { _, value in
            received.append(value)
            if value < 10 {
                upstream.send(value + 10)
                scheduler.schedule { seen.append(received) }
                upstream.send(value + 20)
                XCTAssertLessThanOrEqual(scheduler.unfinished.count, value + 1, "one job of the stream waits")
            }
            return .none
        }
        upstream.receive(on: scheduler).subscribe(subscriber)
        (1...2).forEach { upstream.send($0) }
        scheduler.runDue()
        XCTAssertEqual(received, [1, 2, 11, 21, 12, 22])
        XCTAssertEqual(seen, [received, received], "both were scheduled after the stream's second job")
    }

    func test_aStreamThatFeedsItselfLeavesTheQueueToOthers() {
        let upstream = self.upstream
        var seen = 0
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { _, value in
            if value < 10_000 { upstream.send(value + 1) }
            return .none
        }
        upstream.receive(on: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.schedule { seen = subscriber.values.count }
        scheduler.runDue()
        XCTAssertEqual(seen, 1)
        XCTAssertEqual(subscriber.values.count, 10_000)
    }

    func test_aLaterJobOfASerialQueueComesAfterEverythingThatWasSent() {
        let queue = DispatchQueue(label: "serial")
        for _ in 1...50 {
            let log = Log()
            let subject = PassthroughSubject<Int, Never>()
            let reading = subject.receive(on: queue).sink { log.append($0) }
            for value in 1...2000 { subject.send(value) }
            let done = DispatchSemaphore(value: 0)
            let arrived = Atomic(0)
            queue.async {
                arrived.store(log.values.count, ordering: .relaxed)
                done.signal()
            }
            done.wait()
            XCTAssertEqual(arrived.load(ordering: .relaxed), 2000)
            reading.cancel()
        }
    }

    func test_deliversNothingAfterCancelInsideADelivery() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { subscriber, _ in
            subscriber.cancel()
            return .max(1)
        }
        upstream.receive(on: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
    }

    func test_cancelsUpstreamOnce() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.receive(on: scheduler).subscribe(subscriber)
        let subscription = subscriber.subscription
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .cancel])
    }

    func test_cancelsASecondSubscription() {
        var downstream: AnySubscriber<Int, TestFailure>?
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        Handing { downstream = $0 }.receive(on: scheduler).subscribe(subscriber)
        let second = TestPublisher<Int, TestFailure>()
        upstream.subscribe(AnySubscriber(receiveSubscription: { downstream?.receive(subscription: $0) }))
        second.subscribe(AnySubscriber(receiveSubscription: { downstream?.receive(subscription: $0) }))
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        XCTAssertEqual(second.calls, [.cancel])
    }

    func test_releasesWhatWaitsOnCancel() {
        let living = Tracked.count
        let subject = PassthroughSubject<Tracked, Never>()
        let cancellable = subject.receive(on: scheduler).sink { [tracked = Tracked()] _ in _ = tracked }
        subject.send(Tracked())
        subject.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 3)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
    }

    func test_releasesItsSubscriberAtTheEnd() {
        weak var weakSubscriber: TestSubscriber<Int, TestFailure>?
        var subscription: (any Subscription)?
        do {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            weakSubscriber = subscriber
            upstream.receive(on: scheduler).subscribe(subscriber)
            subscription = subscriber.subscription
        }
        upstream.finish()
        XCTAssertNotNil(weakSubscriber)
        scheduler.runDue()
        XCTAssertNil(weakSubscriber)
        XCTAssertNotNil(subscription)
    }

    func test_isFlatOnASchedulerThatWaitsForNothing() {
        let count = Scale.reduced(100_000)
        var sum = 0
        var subscription: (any Subscription)?
        (1...count).publisher.receive(on: ImmediateScheduler.shared).subscribe(
            AnySubscriber(
                receiveSubscription: {
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: {
                    sum += $0
                    subscription?.request(.max(1))
                    return .none
                }, receiveCompletion: { _ in sum = -sum }))
        XCTAssertEqual(sum, -count * (count + 1) / 2)
    }

    func test_keepsOrderAndLosesNothingOnAConcurrentQueue() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<20 {
            let log = Log()
            let subject = PassthroughSubject<Int, Never>()
            let done = expectation(description: "finished")
            let cancellable = subject.receive(on: queue).sink(
                receiveCompletion: { _ in done.fulfill() }, receiveValue: { log.append($0) })
            for value in 0..<1000 { subject.send(value) }
            subject.send(completion: .finished)
            wait(for: [done], timeout: 60)
            cancellable.cancel()
            XCTAssertEqual(log.values, Array(0..<1000))
            XCTAssertEqual(log.overlaps.load(ordering: .relaxed), 0)
        }
    }

    func test_losesNothingWhenDemandComesFromOtherThreadsOneByOne() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let log = Log()
        let done = expectation(description: "finished")
        var subscription: (any Subscription)?
        (0..<2000).publisher.receive(on: queue).subscribe(
            AnySubscriber(
                receiveSubscription: {
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: { value in
                    log.append(value)
                    nonisolated(unsafe) let subscription = subscription
                    queue.async { subscription?.request(.max(1)) }
                    return .none
                }, receiveCompletion: { _ in done.fulfill() }))
        wait(for: [done], timeout: 60)
        XCTAssertEqual(log.values, Array(0..<2000))
        XCTAssertEqual(log.overlaps.load(ordering: .relaxed), 0)
    }
}

/// Hands its subscriber to a closure.
private struct Handing<Output, Failure: Error>: Publisher {
    let receive: (AnySubscriber<Output, Failure>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(AnySubscriber(subscriber))
    }
}
