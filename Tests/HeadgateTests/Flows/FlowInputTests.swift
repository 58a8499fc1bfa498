import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

/// Names, numbers and clocks that are out of the ordinary.
final class FlowInputTests: XCTestCase {
    func test_aNameThatIsUsedTwiceIsOneStage() {
        let flow = Flow("test", scheduler: TestScheduler())
        (1...3).publisher.stage("same", in: flow).map { $0 }.stage("same", in: flow)
            .subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual(flow.snapshot.stages.map(\.name), ["same"])
        XCTAssertEqual(flow.snapshot.stages[0].values, 6)
        XCTAssertEqual(flow.table().split(separator: "\n").count, 3)
    }

    func test_namesMayBeEmptyAndContainAnything() {
        let flow = Flow("a \"flow\"\n", scheduler: TestScheduler())
        for name in ["", "back\\slash", "two\nlines", "\"quoted\"", "Größe"] {
            Just(1).stage(name, in: flow).subscribe(TestSubscriber.checked(.unlimited))
        }
        let table = flow.table().split(separator: "\n")
        XCTAssertEqual(table.count, 7)
        XCTAssertTrue(table[2].hasPrefix("\"\" "), "\(table[2])")
        let text = flow.prometheus()
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            XCTAssertTrue(line.hasPrefix("headgate_stage_"), "\(line)")
        }
        XCTAssertTrue(text.contains(#"values_total{flow="a \"flow\"\n",stage="two\nlines"} 1"#), text)
        XCTAssertTrue(text.contains(#"stage="back\\slash""#))
        XCTAssertTrue(text.contains(#"stage="\"quoted\"""#))
    }

    func test_metricsAreDescribedOnceAndEqualLabelsAddUp() {
        let flows = ["one", "two", "one"].map { Flow($0, scheduler: TestScheduler()) }
        for flow in flows { (1...3).publisher.stage("all", in: flow).subscribe(TestSubscriber.checked(.unlimited)) }
        let lines = Flow.prometheus(flows).split(separator: "\n")
        XCTAssertEqual(lines.count, Set(lines).count, "each line once")
        let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "}" } }
        XCTAssertEqual(series.count, Set(series).count)
        XCTAssertTrue(lines.contains(#"headgate_stage_values_total{flow="one",stage="all"} 6"#))
        XCTAssertTrue(lines.contains(#"headgate_stage_values_total{flow="two",stage="all"} 3"#))
    }

    func test_aFlowThatNobodyReadsKeepsNothing() {
        let flow = Flow("test")
        weak var released: AnyObject?
        for number in 1...1000 {
            let upstream = TestPublisher<Token, Never>()
            let token = Token()
            if number == 500 { released = token }
            let cancellable = upstream.stage("all", in: flow).sink { _ in }
            upstream.send(token)
            cancellable.cancel()
        }
        XCTAssertNil(released)
        XCTAssertEqual(flow.snapshot.stages[0].cancelled, 1000)
    }

    func test_tenThousandStreamsThroughOneStage() {
        let flow = Flow("test")
        let source = PassthroughSubject<Int, Never>()
        var cancellables = (1...10_000).map { _ in source.stage("all", in: flow).sink { _ in } }
        for number in 1...3 { source.send(number) }
        XCTAssertEqual(flow.snapshot.stages[0].active, 10_000)
        XCTAssertEqual(flow.snapshot.stages[0].values, 30_000)
        // In an order of its own, so that those in the middle go as well.
        while !cancellables.isEmpty { cancellables.remove(at: cancellables.count / 2).cancel() }
        let all = flow.snapshot.stages[0]
        XCTAssertEqual([all.active, all.cancelled, all.values], [0, 10_000, 30_000])
    }

    func test_aClockThatStandsStillOrGoesBack() {
        let clock = SetClock()
        let flow = Flow("test", scheduler: clock)
        let source = PassthroughSubject<Int, Never>()
        let cancellable = source.stage("all", in: flow).sink { clock.set($0) }
        for _ in 1...3 { source.send(0) }
        XCTAssertTrue(flow.table().contains("–"))
        XCTAssertNil(flow.snapshot.limit)
        source.send(10)
        source.send(3)
        cancellable.cancel()
        let stage = flow.snapshot.stages[0]
        XCTAssertEqual(stage.values, 5)
        for time in stage.times.values { XCTAssertGreaterThanOrEqual(time, .zero) }
        XCTAssertLessThanOrEqual(stage.times.values.reduce(.zero, +), .seconds(10))
    }

    func test_moreDemandThanThereAreNumbers() {
        let flow = Flow("test", scheduler: TestScheduler())
        let source = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(.max - 1))
        source.stage("all", in: flow).subscribe(subscriber)
        subscriber.request(.max(.max))
        source.send(1)
        XCTAssertEqual(flow.snapshot.stages[0].demand, .unlimited)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_anUpstreamThatSendsTooMuchIsCounted() {
        let flow = Flow("test", scheduler: TestScheduler())
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.none)
        upstream.stage("all", in: flow).subscribe(subscriber)
        upstream.force(1)
        XCTAssertEqual(flow.snapshot.stages[0].values, 1)
        XCTAssertEqual(flow.snapshot.stages[0].demand, .none)
        subscriber.request(.max(2))
        XCTAssertEqual(flow.snapshot.stages[0].demand, .max(2))
    }
}

private final class Token: Sendable {}

/// A scheduler whose clock shows what it is set to.
private final class SetClock: Scheduler, @unchecked Sendable {
    private let scheduler = TestScheduler()
    private var seconds = 0

    func set(_ seconds: Int) { self.seconds = seconds }

    var now: TestTime { TestTime(nanoseconds: seconds * 1_000_000_000) }

    var minimumTolerance: TestTime.Stride { .zero }

    func schedule(options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void) { action() }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: TestScheduler.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) { action() }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride,
        options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable { AnyCancellable {} }
}
