import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MeasureIntervalTests: XCTestCase {
    private typealias Stride = TestTime.Stride

    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>(sendsSubscription: false)
    private let recorder = Recorder<Stride, TestFailure>(demand: .unlimited)

    func test_publishesTheTimeBetweenValuesFromTheSubscriptionOn() {
        upstream.measureInterval(using: scheduler).subscribe(recorder)
        scheduler.advance(by: 100)
        upstream.sendSubscription()
        scheduler.advance(by: 2)
        upstream.send(1)
        scheduler.advance(by: .milliseconds(5))
        upstream.send(2)
        upstream.send(3)
        upstream.finish()
        XCTAssertEqual(
            recorder.events,
            [.subscription("MeasureInterval"), .value(2), .value(.milliseconds(5)), .value(0), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
        XCTAssertEqual(scheduler.scheduledCount, 0, "the scheduler only tells the time")
    }

    func test_passesDemandOnAndReturnsIt() {
        let recorder = Recorder<Stride, TestFailure>(demand: .max(1)) { _, _ in .max(2) }
        upstream.measureInterval(using: scheduler).subscribe(recorder)
        upstream.sendSubscription()
        XCTAssertEqual(upstream.send(1), .max(2))
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
    }

    func test_passesFailureOn() {
        upstream.measureInterval(using: scheduler).subscribe(recorder)
        upstream.sendSubscription()
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_cancelsUpstreamOnceAndDeliversNothingMore() {
        let recorder = Recorder<Stride, TestFailure>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        upstream.measureInterval(using: scheduler).subscribe(recorder)
        upstream.sendSubscription()
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(recorder.values.count, 1)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfItsSubscriberAtTheEnd() {
        weak var weakRecorder: Recorder<Stride, TestFailure>?
        do {
            let recorder = Recorder<Stride, TestFailure>(demand: .unlimited)
            weakRecorder = recorder
            upstream.measureInterval(using: scheduler).subscribe(recorder)
            upstream.sendSubscription()
        }
        upstream.finish()
        XCTAssertNil(weakRecorder)
    }
}
