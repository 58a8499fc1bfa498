import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

final class CheckpointTests: XCTestCase {
    private var reports: [String] = []

    func test_aFailureIsReportedWithTheWayThatIsBeforeIt() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.checkpoint("source", file: "A.swift", line: 1) { self.reports.append("\($0)") }
            .map { $0 + 1 }
            .retry(1)
            .checkpoint("retried", file: "B.swift", line: 2) { self.reports.append("\($0)") }
            .subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        // What was subscribed to again has a way of its own.
        upstream.fail(.second)
        XCTAssertEqual(
            reports,
            [
                "first passed source (A.swift:1), then retried (B.swift:2)",
                "second passed source (A.swift:1)",
                "second passed retried (B.swift:2)",
            ])
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_theWayIsKnownAfterAHop() {
        let scheduler = TestScheduler()
        FailsAtOnce().checkpoint("source", file: "A.swift", line: 1) { self.reports.append("\($0)") }
            .receive(on: scheduler)
            .checkpoint("hopped", file: "B.swift", line: 2) { self.reports.append("\($0)") }
            .subscribe(TestSubscriber.checked(.unlimited))
        scheduler.runDue()
        XCTAssertEqual(reports.count, 2)
        XCTAssertEqual(reports.first, "first passed source (A.swift:1), then hopped (B.swift:2)")
    }

    func test_nothingIsReportedOfAStreamThatFinishesAndWaysDoNotMix() {
        Just(1).checkpoint("one") { _ in XCTFail("no failure") }.subscribe(TestSubscriber.checked(.unlimited))
        FailsAtOnce().checkpoint("two", file: "C.swift", line: 3) { self.reports.append("\($0)") }
            .subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual(reports, ["first passed two (C.swift:3)"])
    }

    func test_theFileAndTheLineAreThoseOfTheCall() {
        var places: [CheckpointReport.Place] = []
        FailsAtOnce().checkpoint("here") { places = $0.path }.subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual(places.first?.file, "HeadgateTests/CheckpointTests.swift")
        XCTAssertEqual(places.first?.line, #line - 2)
    }
}

final class TapTests: XCTestCase {
    private final class Log: TapObserver {
        var lines: [String] = []

        func subscribed() { lines.append("subscribed") }

        func requested(_ demand: Subscribers.Demand) { lines.append("requested \(demand)") }

        func value<Value>(_ value: Value) { lines.append("value \(value)") }

        func dropped<Value>(_ value: Value) { lines.append("dropped \(value)") }

        func completed(_ run: TapRun) {
            lines.append(
                "completed after \(run.duration), \(run.outstanding) left, \(run.failure.map { "\($0)" } ?? "well")")
        }

        func cancelled(_ run: TapRun) { lines.append("cancelled after \(run.duration), \(run.outstanding) left") }
    }

    private struct Silent: TapObserver {}

    private let scheduler = TestScheduler()
    private let log = Log()
    private let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)

    private func connect(_ script: DemandScript) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(script, misbehavior: .retainsSubscription)
        upstream.tap(log, clock: TestClock(scheduler)).subscribe(subscriber)
        return subscriber
    }

    func test_showsEverythingBeforeItIsForwarded() {
        let subscriber = connect(.first(3))
        upstream.send(1)
        scheduler.advance(by: 2)
        upstream.fail(.first)
        XCTAssertEqual(
            log.lines,
            ["subscribed", "requested max(3)", "value 1", "completed after 2.0 seconds, max(2) left, first"])
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_showsDemandThatIsReturnedAndOneCancellation() {
        let subscriber = connect(.oneByOne)
        upstream.send(1)
        subscriber.cancel()
        subscriber.cancel()
        XCTAssertEqual(
            log.lines,
            [
                "subscribed", "requested max(1)", "value 1", "requested max(1)",
                "cancelled after 0.0 seconds, max(1) left",
            ])
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_showsWhatComesTooLate() {
        connect(.unlimited).cancel()
        upstream.force(7)
        XCTAssertEqual(log.lines.last, "dropped 7")
    }

    func test_anObserverNeedsNoMethod() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        (1...3).publisher.tap(Silent()).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }
}

final class LatencyHistogramTests: XCTestCase {
    func test_bucketsDoubleAndTakeEverything() {
        var histogram = LatencyHistogram()
        XCTAssertEqual(histogram.bound(of: 0.5), .zero)
        for duration in [Duration.seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.max)] { histogram.add(duration) }
        XCTAssertEqual(histogram.count, 4)
        XCTAssertEqual(histogram.buckets[0], 2)
        XCTAssertEqual(histogram.buckets[1], 1)
        XCTAssertEqual(histogram.buckets[63], 1)
        XCTAssertEqual(histogram.bound(of: 0.75), .nanoseconds(2))
    }
}
