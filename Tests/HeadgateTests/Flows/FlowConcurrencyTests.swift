import Headgate
import HeadgateFlow
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// Streams run on several threads while others read the flow.
final class FlowConcurrencyTests: XCTestCase {
    func test_whatThreadsDeliverIsReadMeanwhile() {
        let flow = Flow("threads")
        let working = Atomic(4)
        onThreads(5) { thread in
            if thread == 4 {
                var last = 0
                while working.load(ordering: .acquiring) > 0 {
                    let snapshot = flow.snapshot
                    guard let stage = snapshot.stages.first else { continue }
                    XCTAssertGreaterThanOrEqual(stage.values, last)
                    last = stage.values
                    _ = snapshot.table
                    _ = flow.prometheus()
                }
                return
            }
            for _ in 0..<100 {
                (1...20).publisher.stage("read", in: flow).prefetch(4).stage("ahead", in: flow)
                    .subscribe(TestSubscriber<Int, Never>.checked(.oneByOne))
            }
            working.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        }
        let snapshot = flow.snapshot
        XCTAssertEqual(snapshot.stages.map(\.values), [8000, 8000])
        XCTAssertEqual(snapshot.stages.map(\.finished), [400, 400])
        XCTAssertEqual(snapshot.stages.map(\.active), [0, 0])
    }

    func test_requestsAndCancellationsMeetDeliveries() {
        for scheduler in [nil, TestScheduler()] {
            let flow = scheduler.map { Flow("threads", scheduler: $0) } ?? Flow("threads")
            for _ in 0..<50 {
                let source = PassthroughSubject<Int, Never>()
                let subscriber = TestSubscriber<Int, Never>(.none)
                source.buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest).stage("all", in: flow)
                    .subscribe(subscriber)
                onThreads(4) { thread in
                    switch thread {
                    case 0: for number in 1...50 { source.send(number) }
                    case 3: for _ in 1...5 { _ = flow.snapshot }
                    default: for _ in 1...20 { subscriber.request(.max(1)) }
                    }
                }
                XCTAssertEqual(subscriber.values.count, 40)
                subscriber.cancel()
            }
            let stage = flow.snapshot.stages[0]
            XCTAssertEqual([stage.values, stage.cancelled], [2000, 50])
            XCTAssertEqual(stage.demand, .none)
        }
    }

    func test_recordingsBeginAndEndWhileStreamsRun() {
        let flow = Flow("threads")
        let working = Atomic(2)
        onThreads(3) { thread in
            if thread == 2 {
                while working.load(ordering: .acquiring) > 0 {
                    let recording = flow.record(limit: 50)
                    XCTAssertLessThanOrEqual(recording.eventCount, 50)
                    XCTAssertTrue(recording.trace.hasSuffix("]\n"))
                    recording.stop()
                }
                return
            }
            for _ in 0..<200 {
                (1...20).publisher.stage("read", in: flow).subscribe(TestSubscriber<Int, Never>.checked(.unlimited))
            }
            working.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        }
        XCTAssertEqual(flow.snapshot.stages[0].values, 8000)
    }
}
