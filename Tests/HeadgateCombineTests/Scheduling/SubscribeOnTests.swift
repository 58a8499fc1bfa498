import Dispatch
import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class SubscribeOnTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>()

    func test_subscribesAsksAndCancelsOnTheSchedulerInThatOrder() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(2))
        upstream.subscribe(on: scheduler).subscribe(recorder)
        XCTAssertEqual(upstream.subscriptionCount, 0)
        XCTAssertEqual(recorder.events, [])
        scheduler.runDue()
        XCTAssertEqual(recorder.events, [.subscription("SubscribeOn")])
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        recorder.request(3)
        recorder.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(3)), .cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesOptionsOnAndSchedulesOneJobForAllThatIsSaid() {
        let options = TestScheduler.SchedulerOptions(label: "options")
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.subscribe(on: scheduler, options: options).subscribe(recorder)
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        recorder.request(1)
        recorder.request(1)
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1)), .request(.max(1))])
    }

    func test_deliversValuesAndTheCompletionWhereTheyCome() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited) { _, _ in .max(1) }
        upstream.subscribe(on: scheduler).subscribe(recorder)
        scheduler.runDue()
        XCTAssertEqual(upstream.send(1), .max(1))
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            recorder.events, [.subscription("SubscribeOn"), .value(1), .completion(.failure(.first))])
        XCTAssertEqual(recorder.breaches, [])
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_passesTheEndOnWithoutDemand() {
        let recorder = Recorder<Int, TestFailure>()
        upstream.subscribe(on: scheduler).subscribe(recorder)
        scheduler.runDue()
        upstream.finish()
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_deliversNothingAfterCancelThoughTheSchedulerHasNotComeToIt() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.subscribe(on: scheduler).subscribe(recorder)
        scheduler.runDue()
        recorder.cancel()
        upstream.send(1)
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [])
        XCTAssertEqual(recorder.breaches, [])
        XCTAssertNil(recorder.completion)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_stopsAnEndlessSourceOnCancelInsideADelivery() {
        var count = 0
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            count += 1
            if count == 3 { recorder.cancel() }
            return .none
        }
        (0...).publisher.subscribe(on: scheduler).subscribe(recorder)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [0, 1, 2])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_doesNotSubscribeAfterCancel() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        let waiting = TestScheduler()
        upstream.receive(on: waiting).subscribe(on: scheduler).subscribe(recorder)
        scheduler.runDue()
        recorder.cancel()
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_asksFlatlyFromInsideADelivery() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        (0..<20_000).publisher.subscribe(on: ImmediateScheduler.shared).subscribe(recorder)
        XCTAssertEqual(recorder.values.count, 20_000)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfItsSubscriberAtTheEndAndOnCancel() {
        for end in [{ $0.finish() }, { $0.lastSubscription?.cancel() }] as [(HandPublisher<Int, TestFailure>) -> Void] {
            let upstream = HandPublisher<Int, TestFailure>()
            weak var weakRecorder: Recorder<Int, TestFailure>?
            var subscription: (any Subscription)?
            do {
                let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
                weakRecorder = recorder
                upstream.subscribe(on: scheduler).subscribe(recorder)
                scheduler.runDue()
                subscription = recorder.subscription
            }
            XCTAssertNotNil(weakRecorder)
            end(upstream)
            subscription?.cancel()
            XCTAssertNil(weakRecorder)
        }
    }

    func test_asksInOrderOnAConcurrentQueue() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let done = expectation(description: "finished")
        let sum = Mutex(0)
        let cancellable = (1...1000).publisher.subscribe(on: queue).receive(on: queue).sink(
            receiveCompletion: { _ in done.fulfill() }, receiveValue: { value in sum.withLock { $0 += value } })
        wait(for: [done], timeout: 60)
        cancellable.cancel()
        XCTAssertEqual(sum.withLock { $0 }, 500_500)
    }
}
