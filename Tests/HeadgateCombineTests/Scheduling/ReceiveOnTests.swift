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
    private let upstream = HandPublisher<Int, TestFailure>()

    func test_handsTheSubscriptionOverAtOnceAndTheRestOnTheScheduler() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.receive(on: scheduler).subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        XCTAssertEqual(recorder.events, [.subscription("ReceiveOn")])
        scheduler.runDue()
        XCTAssertEqual(recorder.events, [.subscription("ReceiveOn"), .value(1), .value(2), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesFailureOnBehindTheValues() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.receive(on: scheduler).subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_completesWithoutDemand() {
        let recorder = Recorder<Int, TestFailure>()
        upstream.receive(on: scheduler).subscribe(recorder)
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_passesDemandOnAsItIs() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(2)) { _, value in value == 1 ? .max(3) : .none }
        upstream.receive(on: scheduler).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        scheduler.runDue()
        recorder.request(.none)
        recorder.request(1)
        recorder.request(.unlimited)
        XCTAssertEqual(
            upstream.calls, [.request(.max(2)), .request(.max(3)), .request(.max(1)), .request(.unlimited)])
    }

    func test_schedulesOneJobForAllThatWaitsAndPassesOptionsOn() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        let options = TestScheduler.SchedulerOptions(label: "options")
        upstream.receive(on: scheduler, options: options).subscribe(recorder)
        for value in 1...100 { upstream.send(value) }
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        XCTAssertEqual(recorder.values, Array(1...100))
    }

    func test_letsOthersHaveTheirTurnWhenMuchIsWaiting() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.receive(on: scheduler).subscribe(recorder)
        for value in 1...10_000 { upstream.send(value) }
        var seen = 0
        scheduler.schedule { seen = recorder.values.count }
        scheduler.runDue()
        XCTAssertGreaterThan(seen, 0)
        XCTAssertLessThan(seen, 10_000)
        XCTAssertEqual(recorder.values, Array(1...10_000))
    }

    func test_deliversNothingAfterCancelInsideADelivery() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .max(1)
        }
        upstream.receive(on: scheduler).subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.breaches, [])
        XCTAssertNil(recorder.completion)
    }

    func test_cancelsUpstreamOnce() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.receive(on: scheduler).subscribe(recorder)
        let subscription = recorder.subscription
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .cancel])
    }

    func test_cancelsASecondSubscription() {
        var subscriber: AnySubscriber<Int, TestFailure>?
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        Handing { subscriber = $0 }.receive(on: scheduler).subscribe(recorder)
        let second = HandPublisher<Int, TestFailure>()
        upstream.subscribe(AnySubscriber(receiveSubscription: { subscriber?.receive(subscription: $0) }))
        second.subscribe(AnySubscriber(receiveSubscription: { subscriber?.receive(subscription: $0) }))
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        XCTAssertEqual(second.calls, [.cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfWhatWaitsOnCancel() {
        let living = Tracked.count
        let subject = PassthroughSubject<Tracked, Never>()
        let cancellable = subject.receive(on: scheduler).sink { [tracked = Tracked()] _ in _ = tracked }
        subject.send(Tracked())
        subject.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 3)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
    }

    func test_letsGoOfItsSubscriberAtTheEnd() {
        weak var weakRecorder: Recorder<Int, TestFailure>?
        var subscription: (any Subscription)?
        do {
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            weakRecorder = recorder
            upstream.receive(on: scheduler).subscribe(recorder)
            subscription = recorder.subscription
        }
        upstream.finish()
        XCTAssertNotNil(weakRecorder)
        scheduler.runDue()
        XCTAssertNil(weakRecorder)
        XCTAssertNotNil(subscription)
    }

    func test_isFlatOnASchedulerThatWaitsForNothing() {
        var sum = 0
        var subscription: (any Subscription)?
        (1...100_000).publisher.receive(on: ImmediateScheduler.shared).subscribe(
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
        XCTAssertEqual(sum, -100_000 * 100_001 / 2)
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
