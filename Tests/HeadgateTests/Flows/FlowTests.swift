import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

final class FlowTests: XCTestCase {
    private let scheduler = TestScheduler()
    private lazy var flow = Flow("test", scheduler: scheduler)

    private func stage(_ name: String = "all") -> Flow.Stage {
        flow.snapshot.stages.first { $0.name == name }!
    }

    private func seconds(_ stage: Flow.Stage) -> [Double] {
        Flow.State.allCases.map { (stage.times[$0] ?? .zero) / .seconds(1) }
    }

    func test_countsStreamsAndValuesAndHowStreamsEnd() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscribers = (0..<3).map { _ in TestSubscriber<Int, TestFailure>.checked(.first(5)) }
        for subscriber in subscribers { upstream.stage("all", in: flow).subscribe(subscriber) }
        upstream.send(1)
        XCTAssertEqual(stage().active, 3)
        subscribers[0].cancel()
        upstream.fail(.first)
        Just(1).stage("all", in: flow).subscribe(TestSubscriber.checked(.unlimited))
        let all = stage()
        XCTAssertEqual(
            [all.streams, all.active, all.values, all.finished, all.failed, all.cancelled, all.dropped],
            [4, 0, 4, 1, 2, 1, 0])
        XCTAssertEqual(all.durations.count, 4)
    }

    func test_theDemandIsWhatMayStillComeInTheStreamsThatGoOn() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscribers = (0..<3).map { _ in TestSubscriber<Int, TestFailure>.checked(.first(5)) }
        for subscriber in subscribers { upstream.stage("all", in: flow).subscribe(subscriber) }
        XCTAssertEqual(stage().demand, .max(15))
        upstream.send(1)
        XCTAssertEqual(stage().demand, .max(12))
        subscribers[0].cancel()
        XCTAssertEqual(stage().demand, .max(8))
        subscribers[1].request(.unlimited)
        XCTAssertEqual(stage().demand, .unlimited)
        (2...4).forEach { upstream.send($0) }
        subscribers[1].cancel()
        XCTAssertEqual(stage().demand, .max(1))
        upstream.finish()
        XCTAssertEqual(stage().demand, .none)
    }

    func test_forwardsDemandExactly() {
        let ledger = DemandLedger()
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        (1...3).publisher.recordingDemand(into: ledger, as: "above").stage("all", in: flow)
            .recordingDemand(into: ledger, as: "below").subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(ledger.requested(on: "above"), ledger.requested(on: "below"))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_waitingAndDroppedAreThoseOfTheQueuesBefore() {
        let source = PassthroughSubject<Int, Never>()
        let pipeline = source.stage("source", in: flow)
            .onBackpressureBuffer(limit: 3, whenFull: .dropOldest) { _ in }.map { $0 + 1 }.prefix(9)
            .stage("kept", in: flow)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        pipeline.subscribe(subscriber)
        (1...6).forEach { source.send($0) }
        XCTAssertEqual([stage("kept").values, stage("kept").waiting, stage("kept").dropped], [1, 3, 2])
        XCTAssertEqual([stage("source").values, stage("source").waiting, stage("source").dropped], [6, 0, 0])
        subscriber.cancel()
        XCTAssertEqual([stage("kept").waiting, stage("kept").dropped], [0, 2], "nobody keeps them any more")
    }

    func test_queuesOfHopsTasksAndEmittersAreCounted() {
        let hopped = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...5).publisher.receive(on: scheduler).stage("hopped", in: flow).subscribe(hopped)
        XCTAssertEqual(stage("hopped").waiting, 5)
        scheduler.runDue()
        XCTAssertEqual([stage("hopped").waiting, stage("hopped").values], [0, 5])

        var emitter: Emitter<Int, Never>?
        Publishers.emitter(Int.self, buffering: .bounded(2, .dropNewest)) { emitter = $0 }
            .stage("emitted", in: flow).subscribe(TestSubscriber.checked(.none))
        (1...5).forEach { _ = emitter?.send($0) }
        XCTAssertEqual([stage("emitted").waiting, stage("emitted").dropped], [2, 3])
    }

    func test_inVirtualTimeTheStatesAreExact() {
        let upstream = TestPublisher<Int, Never>()
        let scheduler = scheduler
        let subscriber = TestSubscriber<Int, Never>(.none)
        upstream.stage("all", in: flow).handleEvents(receiveOutput: { _ in scheduler.advance(by: 3) })
            .subscribe(subscriber)
        scheduler.advance(by: 1)
        subscriber.request(.max(2))
        scheduler.advance(by: 10)
        upstream.send(1)
        XCTAssertEqual(seconds(stage()), [3, 10, 1])
        scheduler.advance(by: 5)
        upstream.send(2)
        scheduler.advance(by: 7)
        XCTAssertEqual(seconds(stage()), [6, 15, 8])
        XCTAssertEqual(stage().now[.held], 1)
        subscriber.request(.unlimited)
        scheduler.advance(by: 20)
        XCTAssertEqual(stage().now[.starved], 1)
        upstream.send(3)
        upstream.finish()
        scheduler.advance(by: 100)
        XCTAssertEqual(seconds(stage()), [9, 35, 8])
        XCTAssertEqual(stage().rate, 3 / 52)
        XCTAssertEqual(stage().now.values.reduce(0, +), 0)
    }

    func test_aDeliveryIsSeenFromInside() {
        let upstream = TestPublisher<Int, Never>()
        let scheduler = scheduler
        var inside: Flow.Stage?
        let cancellable = upstream.stage("all", in: flow).sink { _ in
            scheduler.advance(by: 4)
            inside = self.stage()
        }
        upstream.send(1)
        XCTAssertEqual(inside.map(seconds), [4, 0, 0])
        XCTAssertEqual(inside?.now[.busy], 1)
        cancellable.cancel()
    }

    func test_aDeliveryThatCancelsCountsToItsEnd() {
        let upstream = TestPublisher<Int, Never>()
        let scheduler = scheduler
        var cancellable: AnyCancellable?
        cancellable = upstream.stage("all", in: flow).sink { _ in
            scheduler.advance(by: 4)
            cancellable?.cancel()
            scheduler.advance(by: 5)
        }
        scheduler.advance(by: 2)
        upstream.send(1)
        scheduler.advance(by: 50)
        XCTAssertEqual(seconds(stage()), [9, 2, 0])
        XCTAssertEqual(stage().cancelled, 1)
    }

    func test_concurrentStreamsAreCountedAndNotAveraged() {
        let upstream = TestPublisher<Int, Never>()
        let subscribers = (0..<4).map { TestSubscriber<Int, Never>.checked($0 == 0 ? .none : .unlimited) }
        for subscriber in subscribers { upstream.stage("all", in: flow).subscribe(subscriber) }
        scheduler.advance(by: 10)
        XCTAssertEqual(seconds(stage()), [0, 30, 10])
        XCTAssertEqual([stage().now[.starved], stage().now[.held]], [3, 1])
        for subscriber in subscribers { subscriber.cancel() }
        XCTAssertEqual(seconds(stage()), [0, 30, 10], "what has ended stays")
    }

    func test_theProcessorsTimeAddsUp() {
        let flow = Flow("processor")
        let cancellable = (1...1_000_000).publisher.stage("million", in: flow).sink { _ in }
        let stage = flow.snapshot.stages[0]
        XCTAssertEqual(stage.values, 1_000_000)
        XCTAssertGreaterThan(stage.share(of: .busy) ?? 0, 0)
        XCTAssertEqual(Flow.State.allCases.compactMap(stage.share).reduce(0, +), 1, accuracy: 0.001)
        // By far shorter than any test may last, and longer than a million instructions.
        let whole = stage.times.values.reduce(.zero, +)
        XCTAssertGreaterThan(whole, .microseconds(100))
        XCTAssertLessThan(whole, .seconds(600))
        cancellable.cancel()
    }

    func test_aTableHasALineForEachStage() {
        let upstream = TestPublisher<Int, Never>()
        upstream.stage("numbers", in: flow).stage("x\n\"y\"", in: flow).subscribe(TestSubscriber.checked(.first(3)))
        upstream.send(1)
        scheduler.advance(by: .milliseconds(3))
        upstream.finish()
        XCTAssertEqual(
            flow.table().split(separator: "\n"),
            [
                "test: limited by the source before numbers",
                #"stage       busy  starved  held  values  per second  demand  waiting  dropped  streams  active  failed  median life"#,
                #"numbers      0 %    100 %   0 %       1         333       0        0        0        1       0       0      <4.2 ms"#,
                #""x\n\"y\""   0 %    100 %   0 %       1         333       0        0        0        1       0       0      <4.2 ms"#,
            ])
    }

    func test_theStagesAreInTheOrderOfTheStream() {
        let second = PassthroughSubject<Int, Never>().stage("second", in: flow)
        _ = second
        let pipeline = [1].publisher.stage("first", in: flow).map { $0 }.stage("second", in: flow)
        pipeline.subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual(flow.snapshot.stages.map(\.name), ["first", "second"])
    }

    func test_aStreamThatBeginsWhenAnotherEndsIsNotUpstreamOfIt() {
        let flow = flow
        // Each one fails inside the subscription to it, and the next one begins there.
        (1...3).publisher
            .flatMap(maxPublishers: .max(1)) { _ in
                Fail<Int, TestFailure>(error: .first).stage("attempt", in: flow).replaceError(with: 0)
                    .stage("answer", in: flow)
            }
            .subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual(flow.snapshot.stages.map(\.name), ["attempt", "answer"])
        XCTAssertEqual(flow.snapshot.stages.map(\.streams), [3, 3])
    }
}
