import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

/// What a stage says of the queues between it and the stage before: whatever is between.
final class FlowFiguresTests: XCTestCase {
    typealias Values = AnyPublisher<Int, TestFailure>

    private let flow = Flow("figures", scheduler: TestScheduler())

    private func stage(_ name: String = "out") -> Flow.Stage {
        flow.snapshot.stages.first { $0.name == name }!
    }

    /// Ten values arrive at a queue for two, behind which an operator forwards what is requested.
    private func check(
        _ name: String, beginning: () -> Void = {}, underWay: Int = 0, line: UInt = #line,
        _ transform: (Values) -> some Publisher<Int, TestFailure>
    ) {
        let source = PassthroughSubject<Int, TestFailure>()
        let flow = Flow("figures", scheduler: TestScheduler())
        var dropped = 0
        let policy = source.onBackpressureBuffer(limit: 2, whenFull: .dropOldest) { _ in dropped += 1 }
        let subscriber = TestSubscriber<Int, TestFailure>(.first(1))
        transform(policy.eraseToAnyPublisher()).stage("out", in: flow).subscribe(subscriber)
        beginning()
        (1...10).forEach { source.send($0) }
        beginning()
        let stage = flow.snapshot.stages[0]
        XCTAssertEqual(stage.dropped, dropped, "\(name): dropped", line: line)
        XCTAssertGreaterThan(dropped, 0, "\(name): nothing was dropped", line: line)
        XCTAssertEqual(
            stage.waiting, 10 - dropped - subscriber.values.count - underWay, "\(name): waiting", line: line)
        subscriber.cancel()
        beginning()
        let after = flow.snapshot.stages[0]
        XCTAssertEqual([after.waiting, after.dropped], [0, dropped], "\(name): cancelled", line: line)
    }

    func test_behindStepsAndWhatForwardsASubscription() {
        check("nothing") { $0 }
        check("map") { $0.map { $0 + 1 } }
        check("prefix") { $0.prefix(9) }
        check("scan") { $0.scan(0, +) }
        check("print") { $0.handleEvents(receiveRequest: { _ in }) }
        check("replaceEmpty") { $0.replaceEmpty(with: 1) }
        check("checkpoint") { $0.checkpoint("here") }
        check("mapError") { $0.mapError { $0 } }
        check("deferred") { values in Deferred { values } }
        check("batch") { $0.collect(1).map { $0[0] } }
        check("pairwise") { $0.merge(with: Empty(completeImmediately: false)) }
        let scheduler = TestScheduler()
        check("receive(on:)", beginning: { scheduler.runDue() }) { $0.receive(on: scheduler) }
        check("delay", beginning: { scheduler.advance(by: 1) }) { $0.delay(for: 1, scheduler: scheduler) }
        check("timeout") { $0.timeout(100, scheduler: scheduler) }
        check("rateLimit") { $0.rateLimit(100, per: 1, scheduler: scheduler) }
    }

    func test_behindWhatHasSeveralUpstreams() {
        let never = PassthroughSubject<Int, TestFailure>()
        check("prefix(untilOutputFrom:)") { $0.prefix(untilOutputFrom: never) }
        check("drop(untilOutputFrom:)") { values in
            let open = CurrentValueSubject<Int, TestFailure>(1)
            return values.drop(untilOutputFrom: open)
        }
        check("merge") { $0.merge(with: never) }
        check("zip") { $0.zip(Publishers.Sequence(sequence: 1...100)) { first, _ in first } }
        check("amb") { [$0, never.eraseToAnyPublisher()].amb() }
        check("firstWithValue") { [$0, never.eraseToAnyPublisher()].firstWithValue() }
        check("mergeDelayingFailures") {
            [$0, never.eraseToAnyPublisher()].mergeDelayingFailures().mapError { _ in TestFailure.first }
        }
        check("mergeSorted") { [$0].mergeSorted(by: <) }
        check("paused") { $0.paused(by: Empty<Bool, Never>()) }
        check("withLatestFrom") { $0.withLatestFrom(CurrentValueSubject<Int, TestFailure>(0)) { first, _ in first } }
        check("combineLatest") { $0.combineLatest(CurrentValueSubject<Int, TestFailure>(0)) { first, _ in first } }
    }

    func test_behindWhatIsAttachedLater() {
        check("switchToLatest") { Just($0).setFailureType(to: TestFailure.self).switchToLatest() }
        check("flatMapLatest") { values in
            Just(1).setFailureType(to: TestFailure.self).flatMapLatest { _ in values }
        }
        check("flatMap") { values in
            [1].publisher.setFailureType(to: TestFailure.self).flatMap { _ in values }
        }
        check("flatMap of outer values") {
            $0.flatMap(maxPublishers: .max(1)) { [$0].publisher.setFailureType(to: TestFailure.self) }
        }
        check("flatMapSequential") { values in
            [1].publisher.setFailureType(to: TestFailure.self).flatMapSequential(maxConcurrent: 1, prefetch: 1) { _ in
                values
            }
        }
        check("concatMap") { values in
            [1].publisher.setFailureType(to: TestFailure.self).concatMap { _ in values }
        }
        check("catch") { $0.catch { Fail(error: $0) } }
        check("catch, afterwards") { values in Fail<Int, TestFailure>(error: TestFailure.first).catch { _ in values } }
        check("retry") { $0.retry(1) }
        check("append") { $0.append(1) }
        check("append, afterwards") { Empty().append($0) }
        check("prepend") { $0.prepend([Int]()) }
        check("switchIfEmpty") { values in Empty().switchIfEmpty(to: values) }
        check("repeat") { $0.repeat(times: 2) }
        check("expand") { $0.expand(limit: 9, whenFull: .skip) { _ in Empty<Int, TestFailure>() } }
        let scheduler = TestScheduler()
        check("retry(policy)") { $0.retry(.exponential(initial: .seconds(1), retries: 5), scheduler: scheduler) }
        check("subscribe(on:)", beginning: { scheduler.runDue() }) { $0.subscribe(on: scheduler) }
        check("delaySubscription", beginning: { scheduler.advance(by: 1) }) {
            $0.delaySubscription(for: 1, scheduler: scheduler)
        }
    }

    func test_behindWhatIsShared() {
        check("broadcast") { $0.broadcast(limit: 1) }
        check("replayed") { $0.shareReplay(capacity: 1).prefix(9) }
        // Those request everything.
        let source = PassthroughSubject<Int, TestFailure>()
        let scheduler = TestScheduler()
        let shared = source.receive(on: scheduler).share()
        let first = TestSubscriber<Int, TestFailure>(.first(1)), second = TestSubscriber<Int, TestFailure>(.unlimited)
        shared.stage("out", in: flow).subscribe(first)
        shared.stage("other", in: flow).subscribe(second)
        shared.stage("out", in: flow).subscribe(TestSubscriber<Int, TestFailure>(.unlimited))
        (1...10).forEach { source.send($0) }
        XCTAssertEqual([stage().waiting, stage("other").waiting], [10, 10], "what waits above is counted once")
        scheduler.runDue()
        XCTAssertEqual([stage().waiting, stage("other").waiting], [0, 0])
        XCTAssertEqual(
            [stage().dropped, stage("other").dropped], [9, 0], "the slow subscriber lost them, not the other")
    }

    func test_whatIsDroppedAboveASharedPublisherIsCountedOnceForEachStage() {
        let source = PassthroughSubject<Int, Never>()
        let connectable = source.onBackpressureBuffer(limit: 2, whenFull: .dropOldest).broadcast(to: 1, limit: 1)
        let early = TestSubscriber<Int, Never>(.none)
        connectable.subscribe(early)
        (1...5).forEach { source.send($0) }
        let late = [TestSubscriber<Int, Never>(.none), TestSubscriber<Int, Never>(.none)]
        for subscriber in late { connectable.stage("out", in: flow).subscribe(subscriber) }
        XCTAssertEqual([stage().dropped, stage().waiting], [0, 2], "what was dropped before is not this stage's")
        (1...4).forEach { source.send($0) }
        XCTAssertEqual([stage().dropped, stage().waiting], [4, 2])
        late[0].cancel()
        source.send(1)
        XCTAssertEqual([stage().dropped, stage().waiting], [5, 2])
        late[1].cancel()
        source.send(1)
        XCTAssertEqual([stage().dropped, stage().waiting], [5, 0])
    }

    func test_behindTasks() {
        let executor = TestExecutor(runsAtOnce: true)
        check("asyncMap") { values in executor.adopt { values.asyncMap { $0 + 1 }.tasks(on: executor) } }
        check("asyncFlatMap") { values in
            values.asyncFlatMap(maxConcurrent: 1) { Just($0).setFailureType(to: TestFailure.self) }.tasks(on: executor)
        }
    }

    func test_eachStageSeesWhatIsBetweenItAndTheOneBefore() {
        let source = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        let outer = PassthroughSubject<Int, Never>()
        outer.flatMap { [flow] _ in
            source.onBackpressureBuffer(limit: 2, whenFull: .dropOldest).stage("inner", in: flow).append(1)
                .onBackpressureBuffer(limit: 3, whenFull: .dropNewest)
        }
        .stage("out", in: flow).flatMap(maxPublishers: .max(1)) {
            [$0].publisher.onBackpressureBuffer(limit: 1, whenFull: .dropNewest)
        }
        .subscribe(subscriber)
        outer.send(1)
        (1...9).forEach { source.send($0) }
        XCTAssertEqual([stage("inner").values, stage("inner").waiting, stage("inner").dropped], [9, 0, 0])
        XCTAssertEqual([stage().values, stage().waiting, stage().dropped], [1, 3, 5])
    }

    // What operators drop by themselves.

    private func dropped(
        waiting: Int = 0, _ name: String, _ count: Int, demand: DemandScript = .first(1), line: UInt = #line,
        _ transform: (PassthroughSubject<Int, Never>) -> some Publisher<some Any, Never>, then act: () -> Void = {}
    ) {
        let source = PassthroughSubject<Int, Never>()
        let flow = Flow("figures", scheduler: TestScheduler())
        let subscriber = TestSubscriber<Int, Never>(demand)
        transform(source).map { _ in 1 }.stage("out", in: flow).subscribe(subscriber)
        (1...10).forEach { source.send($0) }
        act()
        let stage = flow.snapshot.stages[0]
        XCTAssertEqual(stage.dropped, count, "\(name): dropped", line: line)
        XCTAssertEqual(stage.waiting, waiting, "\(name): waiting", line: line)
    }

    func test_whatOperatorsDropByThemselves() {
        let scheduler = TestScheduler()
        dropped("subject", 9) { $0 }
        dropped("share", 9) { $0.share() }
        dropped("multicast", 9) { $0.multicast(subject: PassthroughSubject<Int, Never>()).autoconnect() }
        dropped(waiting: 2, "receive(on:prefetch:)", 8, demand: .none) { $0.receive(on: scheduler, prefetch: 2) }
        dropped("current value", 10, demand: .none) {
            $0.multicast(subject: CurrentValueSubject<Int, Never>(0)).autoconnect()
        }
        dropped(waiting: 1, "conflate", 8) { $0.conflate() }
        dropped(waiting: 9, "conflate(into:)", 0) { $0.conflate(into: { $0 }, { $0 += $1 }) }
        dropped(waiting: 9, "batchWhileBusy", 0) { $0.batchWhileBusy(limit: 20) }
        dropped("onBackpressureDrop", 9) { $0.onBackpressureDrop { _ in } }
        dropped(waiting: 2, "buffer", 7) { $0.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest) }
        dropped("throttle", 9, demand: .unlimited) {
            $0.throttle(for: 1, scheduler: scheduler, latest: true)
        } then: {
            scheduler.advance(by: 1)
        }
        dropped("throttle, earliest", 9, demand: .unlimited) {
            $0.throttle(for: 1, scheduler: scheduler, latest: false)
        } then: {
            scheduler.advance(by: 1)
        }
        dropped(waiting: 1, "debounce", 9, demand: .unlimited) { $0.debounce(for: 1, scheduler: scheduler) }
        dropped(waiting: 1, "debounce by value", 9, demand: .unlimited) {
            $0.debounce(scheduler: scheduler) { _ in 1 }
        }
        let trigger = PassthroughSubject<Int, Never>()
        dropped(waiting: 1, "sample(on:)", 9, demand: .unlimited) { $0.sample(on: trigger) }
        dropped("sample(on:), sampled", 9, demand: .unlimited) {
            $0.sample(on: trigger)
        } then: {
            trigger.send(1)
        }
        dropped("withLatestFrom", 10) { $0.withLatestFrom(PassthroughSubject<Int, Never>()) { first, _ in first } }
        dropped("flatMapFirst", 9, demand: .unlimited) {
            $0.flatMapFirst { _ in Empty<Int, Never>(completeImmediately: false) }
        }
        dropped("combineLatest", 9) { $0.combineLatest(Just(1)) }
        dropped(waiting: 10, "zip", 0, demand: .unlimited) { $0.zip(PassthroughSubject<Int, Never>()) }
        dropped(waiting: 10, "groupBy", 0) { $0.groupBy(limit: 20, whenFull: .drop) { $0 } }
        dropped(waiting: 2, "groupBy, too many", 8, demand: .unlimited) { $0.groupBy(limit: 2, whenFull: .drop) { $0 } }
    }
}
