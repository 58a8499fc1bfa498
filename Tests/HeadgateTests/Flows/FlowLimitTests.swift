import Headgate
import HeadgateFlow
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// Pipelines whose bottleneck is known, because it alone takes time.
final class FlowLimitTests: XCTestCase {
    private let scheduler = TestScheduler()
    private lazy var flow = Flow("test", scheduler: scheduler)
    private var cancellables: Set<AnyCancellable> = []

    /// Runs a pipeline to its end, and returns what limited it.
    private func limit<P: Publisher<Int, Never>>(_ pipeline: P, each: @escaping (Int) -> Void = { _ in })
        -> Flow.Limit?
    {
        pipeline.sink(receiveValue: each).store(in: &cancellables)
        scheduler.runUntilIdle()
        return flow.snapshot.limit
    }

    private func take(_ duration: TestTime.Stride) -> (Int) -> Int {
        let scheduler = scheduler
        return {
            scheduler.advance(by: duration)
            return $0
        }
    }

    /// A number each second.
    private var ticks: some Publisher<Int, Never> {
        (1...20).publisher.flatMap(maxPublishers: .max(1)) { [scheduler] in Just($0).delay(for: 1, scheduler: scheduler)
        }
    }

    func test_aSlowSource() {
        let found = limit(ticks.stage("read", in: flow).map(take(.milliseconds(10))).stage("mapped", in: flow))
        XCTAssertEqual(found, .source(before: "read"))
    }

    func test_aSlowSourceThatIsRequestedFromAhead() {
        let found = limit(ticks.stage("read", in: flow).prefetch(4, low: 2).stage("mapped", in: flow))
        XCTAssertEqual(found, .source(before: "read"))
    }

    func test_aSlowMap() {
        let found = limit(
            (1...20).publisher.map(take(.milliseconds(10))).stage("read", in: flow).map(take(1))
                .stage("mapped", in: flow).map(take(.milliseconds(10))).stage("written", in: flow))
        XCTAssertEqual(found, .section(after: "read", before: "mapped"))
    }

    func test_aSlowSinkThatBlocks() {
        let found = limit((1...20).publisher.stage("read", in: flow).map { $0 }.stage("mapped", in: flow)) {
            _ = self.take(1)($0)
        }
        XCTAssertEqual(found, .sink(after: "mapped"))
    }

    func test_aSlowSinkThatRequests() {
        let subscriber = TestSubscriber<Int, Never>.checked(.none)
        (1...20).publisher.stage("read", in: flow).prefetch(4).stage("ahead", in: flow).subscribe(subscriber)
        for _ in 1...20 {
            scheduler.advance(by: 1)
            subscriber.request(.max(1))
        }
        XCTAssertEqual(subscriber.values.count, 20)
        XCTAssertEqual(flow.snapshot.limit, .sink(after: "ahead"))
    }

    func test_aSlowHop() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        (1...20).publisher.stage("read", in: flow).receive(on: LateScheduler(scheduler, by: 1)).stage(
            "hopped", in: flow
        )
        .subscribe(subscriber)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values.count, 20)
        XCTAssertEqual(flow.snapshot.limit, .section(after: "read", before: "hopped"))
    }

    func test_aSlowHopFromASourceThatHasEnded() {
        let found = limit(
            (1...2000).publisher.stage("read", in: flow).receive(on: LateScheduler(scheduler, by: 1))
                .stage("hopped", in: flow))
        XCTAssertEqual(found, .section(after: "read", before: "hopped"))
    }

    func test_aSmallConcurrency() {
        func time(_ concurrency: Int) -> (Duration, Flow.Limit?) {
            let start = scheduler.now
            flow = Flow("test", scheduler: scheduler)
            let found = limit(
                (1...40).publisher.stage("read", in: flow)
                    .flatMap(maxPublishers: .max(concurrency)) { [scheduler] in
                        Just($0).delay(for: 1, scheduler: scheduler)
                    }
                    .stage("fetched", in: flow).map(take(.milliseconds(100))))
            return (start.duration(to: scheduler.now), found)
        }
        let (slow, limited) = time(2)
        let (fast, unlimited) = time(40)
        XCTAssertEqual(limited, .section(after: "read", before: "fetched"))
        XCTAssertEqual(unlimited, .sink(after: "fetched"))
        XCTAssertLessThan(fast * 3, slow)
    }

    /// Numbers that arrive a second after they were requested, however many that are.
    private func answers(_ count: Int) -> some Publisher<Int, Never> {
        Publishers.emitter(Int.self, buffering: .none) { [scheduler] emitter in
            let sent = Sent()
            emitter.onRequest { demand in
                scheduler.schedule(after: scheduler.now.advanced(by: 1)) {
                    for _ in 0..<(demand.max ?? count) {
                        let number = sent.count.wrappingAdd(1, ordering: .relaxed).newValue
                        if number <= count { _ = emitter.send(number) }
                        if number == count { emitter.finish() }
                    }
                }
            }
        }
    }

    func test_aSmallPrefetch() {
        func time(_ size: Int) -> (Duration, Flow.Limit?) {
            let start = scheduler.now
            flow = Flow("test", scheduler: scheduler)
            let found = limit(
                answers(40).stage("read", in: flow).prefetch(size, low: 0).stage("ahead", in: flow).map(
                    take(.milliseconds(100))))
            return (start.duration(to: scheduler.now), found)
        }
        let (slow, limited) = time(2)
        let (fast, unlimited) = time(40)
        XCTAssertEqual(limited, .requests(after: "read"))
        XCTAssertEqual(unlimited, .sink(after: "ahead"))
        XCTAssertLessThan(fast * 3, slow)
    }

    func test_whatIsUpstreamOfAStageThatIsNotStarvedLimitsNothing() {
        // Values come each second and go into a buffer, which the section after it empties in two seconds for each.
        let found = limit(
            ticks.stage("read", in: flow).onBackpressureBuffer(limit: 100, whenFull: .dropOldest) { _ in }
                .stage("kept", in: flow)
                .flatMap(maxPublishers: .max(1)) { [scheduler] in Just($0).delay(for: 2, scheduler: scheduler) }
                .stage("sent", in: flow))
        XCTAssertEqual(found, .section(after: "kept", before: "sent"))
    }

    func test_ofTwoUpstreamsTheSlowOneIsNamed() {
        let fast = (1...20).publisher.stage("fast", in: flow)
        let found = limit(ticks.stage("slow", in: flow).zip(fast) { $0 + $1 }.stage("zipped", in: flow))
        XCTAssertEqual(found, .source(before: "slow"))
    }

    func test_streamsInsideAFlatMapAreNotUpstreamOfIt() {
        let flow = flow
        let found = limit(
            (1...5).publisher.stage("outer", in: flow)
                .flatMap(maxPublishers: .max(1)) { [scheduler] in
                    Just($0).delay(for: 1, scheduler: scheduler).stage("inner", in: flow)
                }
                .stage("joined", in: flow).map(take(.milliseconds(1))))
        XCTAssertTrue(
            [.section(after: "outer", before: "joined"), .source(before: "inner")].contains(found), "\(found as Any)")
        XCTAssertEqual(flow.snapshot.stages.map(\.streams).sorted(), [1, 1, 5])
    }

    func test_whileNoTimePassesNothingLimits() {
        XCTAssertNil(limit((1...3).publisher.stage("read", in: flow)))
        let stage = flow.snapshot.stages[0]
        XCTAssertNil(stage.share(of: .busy))
        XCTAssertNil(stage.rate)
        XCTAssertTrue(flow.table().contains("–"))
        XCTAssertNil(Flow("empty").snapshot.limit)
    }
}

private final class Sent: Sendable {
    let count = Atomic(0)
}

/// A scheduler whose jobs run late.
private final class LateScheduler: Scheduler, @unchecked Sendable {
    private let scheduler: TestScheduler
    private let delay: TestTime.Stride

    init(_ scheduler: TestScheduler, by delay: TestTime.Stride) {
        self.scheduler = scheduler
        self.delay = delay
    }

    var now: TestTime { scheduler.now }

    var minimumTolerance: TestTime.Stride { scheduler.minimumTolerance }

    func schedule(options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void) {
        scheduler.schedule(after: now.advanced(by: delay), tolerance: .zero, options: options, action)
    }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: TestScheduler.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        scheduler.schedule(after: date.advanced(by: delay), tolerance: tolerance, options: options, action)
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride,
        options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        scheduler.schedule(
            after: date.advanced(by: delay), interval: interval, tolerance: tolerance, options: options, action)
    }
}
