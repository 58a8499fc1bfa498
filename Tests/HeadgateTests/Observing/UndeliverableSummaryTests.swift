import Headgate
import HeadgateCore
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

final class UndeliverableSummaryTests: XCTestCase {
    private let time = TestScheduler()
    private let summaries = Received()

    private final class Received: Sendable {
        let all = Guarded<[UndeliverableSummary]>([])
    }

    /// Those of this test's own places: other streams of the process may drop failures.
    private var lines: [String] { summaries.all.withLock { $0 }.filter { $0.place != nil }.map { "\($0)" } }

    override func setUp() {
        Undeliverables.observe(every: .seconds(10), clock: TestClock(time)) { [summaries] summary in
            summaries.all.withLock { $0.append(summary) }
        }
    }

    override func tearDown() { Undeliverables.observe(nil) }

    private func drop(_ count: Int, _ stream: (PassthroughSubject<Int, Never>) -> some Publisher<Int, Never>) {
        let source = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.none)
        stream(source).subscribe(subscriber)
        (0..<count).forEach { source.send($0) }
        subscriber.cancel()
    }

    func test_tenThousandDropsAreOneLine() {
        drop(10_000) { $0.onBackpressureDrop { _ in } }
        XCTAssertEqual(lines, [])
        time.advance(by: .seconds(10))
        XCTAssertEqual(lines, ["onBackpressure dropped 10000 values within 10.0 seconds, the first: 0"])
        time.advance(by: .seconds(60))
        XCTAssertEqual(lines.count, 1)
        XCTAssertEqual(time.unfinished, [], "without drops there is no timer")
    }

    private struct TooLate: Error, CustomStringConvertible {
        let description = "too late"
    }

    func test_failuresThatNoSubscriberIsLeftToReceiveAreOneLine() {
        for _ in 1...3 {
            let upstream = TestPublisher<Int, TooLate>(keepsSubscribers: true)
            upstream.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
            upstream.force(completion: .failure(TooLate()))
        }
        drop(1) { $0.onBackpressureDrop { _ in } }
        time.advance(by: .seconds(10))
        let failures = summaries.all.withLock { $0 }.filter { $0.first == "too late" }
        XCTAssertEqual(failures.map { "\($0)" }, ["undeliverable: 3 failures within 10.0 seconds, the first: too late"])
        XCTAssertEqual([failures.first?.failures, failures.first?.values], [3, 0])
        XCTAssertEqual(lines, ["onBackpressure dropped 1 value within 10.0 seconds, the first: 0"])
    }

    func test_thePlaceHasTheNameOfTheNextStage() {
        let flow = Flow("telemetry")
        drop(3) { $0.onBackpressureBuffer(limit: 1, whenFull: .dropOldest).map { $0 }.stage("totals", in: flow) }
        drop(2) { $0.onBackpressureDrop { _ in }.stage("alarms", in: flow) }
        drop(4) { $0.onBackpressureBuffer(limit: 1, whenFull: .dropOldest).stage("totals", in: flow) }
        drop(1) { $0.stage("read", in: flow).onBackpressureDrop { _ in } }
        time.advance(by: .seconds(10))
        XCTAssertEqual(
            lines,
            [
                "onBackpressure before telemetry/totals dropped 5 values within 10.0 seconds, the first: 0",
                "onBackpressure before telemetry/alarms dropped 2 values within 10.0 seconds, the first: 0",
                "onBackpressure dropped 1 value within 10.0 seconds, the first: 0",
            ])
        XCTAssertEqual(
            summaries.all.withLock { $0 }.filter { $0.place != nil }.map(\.stage),
            ["telemetry/totals", "telemetry/alarms", nil])
    }

    func test_eachPlaceHasItsOwnCountAndEachIntervalBeginsAnew() {
        drop(3) { $0.onBackpressureBuffer(limit: 1, whenFull: .dropNewest) }
        drop(1) { $0.groupBy(limit: 1, whenFull: .drop) { $0 }.flatMap { $0 } }
        drop(3) { $0.onBackpressureBuffer(limit: 2, whenFull: .dropNewest) }
        time.advance(by: .seconds(10))
        drop(2) { $0.onBackpressureDrop { _ in } }
        time.advance(by: .seconds(10))
        XCTAssertEqual(
            lines,
            [
                "onBackpressure dropped 3 values within 10.0 seconds, the first: 1",
                "onBackpressure dropped 2 values within 10.0 seconds, the first: 0",
            ])
    }
}
