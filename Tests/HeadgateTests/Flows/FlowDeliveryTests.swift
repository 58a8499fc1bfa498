import Headgate
@testable import HeadgateFlow
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

/// Deliveries that are counted in different ways, and places in a run of steps.
final class FlowDeliveryTests: XCTestCase {
    private let scheduler = TestScheduler()
    private lazy var flow = Flow("test", scheduler: scheduler)

    private func stage(_ name: String) -> Flow.Stage {
        flow.snapshot.stages.first { $0.name == name }!
    }

    private func seconds(_ stage: Flow.Stage) -> [Double] {
        Flow.State.allCases.map { (stage.times[$0] ?? .zero) / .seconds(1) }
    }

    // With a scheduler, each delivery takes the long way; without, it counts no demand while one value after the other is
    // requested.
    func test_demandIsCountedExactlyInTheProcessorsTime() {
        let flow = Flow("processor")
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        upstream.stage("all", in: flow).subscribe(subscriber)
        func stage() -> Flow.Stage { flow.snapshot.stages[0] }
        for number in 1...5 {
            upstream.send(number)
            XCTAssertEqual(stage().demand, .max(1))
            XCTAssertEqual(stage().now[.starved], 1)
        }
        subscriber.request(.max(2))
        for number in 6...8 {
            upstream.send(number)
            XCTAssertEqual(stage().demand, .max(3))
        }
        XCTAssertEqual(stage().values, 8)
        subscriber.request(.unlimited)
        upstream.send(9)
        XCTAssertEqual(stage().demand, .unlimited)
        subscriber.cancel()
    }

    func test_aWindowOfDemandIsCountedDownInTheProcessorsTime() {
        let flow = Flow("processor")
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        upstream.stage("all", in: flow).subscribe(subscriber)
        func stage() -> Flow.Stage { flow.snapshot.stages[0] }
        for (number, rest) in [(1, 2), (2, 1), (3, 0)] {
            upstream.send(number)
            XCTAssertEqual(stage().demand, .max(rest))
        }
        XCTAssertEqual(stage().now[.held], 1)
        subscriber.request(.max(1))
        XCTAssertEqual([stage().now[.starved], stage().now[.held]], [1, 0])
        upstream.send(4)
        XCTAssertEqual(stage().now[.held], 1)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
    }

    func test_oneByOneTheStarvationIsThatOfSmallRequestsInTheProcessorsTime() {
        let flow = Flow("processor")
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
        upstream.stage("all", in: flow).subscribe(subscriber)
        for number in 1...1000 { upstream.send(number) }
        // All of the starvation passed without a request that is older than the last value, so the source is not to blame.
        let sums = flow.stages[0].reading.sums
        XCTAssertGreaterThan(sums.starved, 0)
        XCTAssertEqual(sums.answered, sums.starved, accuracy: 1)
        upstream.finish()
    }

    func test_betweenStepsAStageSeesWhatALaterStepDrops() {
        let upstream = TestPublisher<Int, Never>()
        let scheduler = scheduler
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        let ledger = DemandLedger()
        upstream.recordingDemand(into: ledger, as: "above").map { $0 + 1 }.stage("mapped", in: flow)
            .filter { number in
                scheduler.advance(by: 1)
                return number.isMultiple(of: 2)
            }
            .stage("kept", in: flow).map { $0 * 10 }.subscribe(subscriber)
        for number in 1...3 { upstream.send(number) }
        XCTAssertEqual(subscriber.values, [20, 40])
        XCTAssertEqual(stage("mapped").values, 3)
        XCTAssertEqual(stage("kept").values, 2)
        XCTAssertEqual([stage("mapped").demand, stage("kept").demand], [.none, .none])
        XCTAssertEqual(seconds(stage("mapped")), [3, 0, 0])
        XCTAssertEqual(seconds(stage("kept")), [0, 3, 0])
        XCTAssertEqual(ledger.requested(on: "above"), .max(3))
        upstream.finish()
        XCTAssertEqual([stage("mapped").finished, stage("kept").finished], [1, 1])
    }

    func test_aStepThatEndsTheStreamCancelsTheStagesBeforeItAndFinishesThoseAfterIt() {
        (1...9).publisher.map { $0 }.stage("before", in: flow).prefix(2).stage("after", in: flow).map { $0 }
            .subscribe(TestSubscriber.checked(.unlimited))
        XCTAssertEqual([stage("before").cancelled, stage("before").finished, stage("before").values], [1, 0, 2])
        XCTAssertEqual([stage("after").cancelled, stage("after").finished, stage("after").values], [0, 1, 2])
    }

    // A source that has all its values sends them without a subscription to a subscriber that takes them all.
    func test_aStreamThatIsServedAtOnceIsCounted() {
        let flow = flow
        var sum = 0
        let cancellables = [
            (1...3).publisher.map { $0 }.stage("range", in: flow).filter { $0 > 1 }.sink { sum += $0 },
            Just(1).stage("just", in: flow).sink { sum += $0 },
            Empty<Int, Never>().stage("empty", in: flow).sink { sum += $0 },
            Fail<Int, TestFailure>(error: .first).stage("fail", in: flow).sink { _ in
            } receiveValue: {
                sum += $0
            },
        ]
        XCTAssertEqual(sum, 6)
        XCTAssertEqual(flow.snapshot.stages.map(\.values), [3, 1, 0, 0])
        XCTAssertEqual(flow.snapshot.stages.map(\.streams), [1, 1, 1, 1])
        XCTAssertEqual(flow.snapshot.stages.map(\.finished), [1, 1, 1, 0])
        XCTAssertEqual(flow.snapshot.stages.map(\.failed), [0, 0, 0, 1])
        XCTAssertEqual(flow.snapshot.stages.map(\.active), [0, 0, 0, 0])
        cancellables.forEach { $0.cancel() }
        XCTAssertEqual(flow.snapshot.stages.map(\.cancelled), [0, 0, 0, 0])
    }

    func test_streamsThatBeginInTheDeliveriesOfAStreamServedAtOnceAreNotUpstreamOfIt() {
        let flow = flow, scheduler = scheduler
        var inner: [AnyCancellable] = []
        let outer = (1...3).publisher.stage("outer", in: flow).sink { number in
            XCTAssertEqual(flow.snapshot.stages.first?.now[.busy], 1)
            XCTAssertEqual(flow.snapshot.stages.first?.demand, .unlimited)
            inner.append(Just(number).stage("inner", in: flow).sink { _ in scheduler.advance(by: 1) })
        }
        XCTAssertEqual(flow.snapshot.stages.map(\.name), ["outer", "inner"])
        XCTAssertEqual(seconds(stage("outer")), [3, 0, 0])
        outer.cancel()
    }

    func test_whatWaitsBelowOperatorsThatForwardTheirUpstreamIsSeen() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        let subscribing = TestScheduler()
        (1...5).publisher.receive(on: scheduler).collect(2).subscribe(on: subscribing).stage("pairs", in: flow)
            .subscribe(subscriber)
        subscribing.runDue()
        XCTAssertEqual(stage("pairs").waiting, 5)
        scheduler.runDue()
        subscribing.runDue()
        XCTAssertEqual(stage("pairs").waiting, 0)
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4], [5]])
    }
}
