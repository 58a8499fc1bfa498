import HeadgateCombine
import TestSupport
import XCTest

final class PublishedTests: XCTestCase {
    private final class Meter {
        @Published var level = 0
        @Published(initialValue: "m") var unit: String
    }

    func test_publishesThePresentValueAndChangesBeforeTheyHappen() {
        let meter = Meter()
        var seen: [[Int]] = []
        let watch = meter.$level.sink { seen.append([$0, meter.level]) }
        meter.level = 1
        meter.level = 2
        XCTAssertEqual(seen, [[0, 0], [1, 0], [2, 1]])
        XCTAssertEqual(meter.level, 2)
        XCTAssertEqual(meter.unit, "m")
        watch.cancel()
    }

    func test_honoursDemandAndDeliversTheLatestToWhoAsksLate() {
        let meter = Meter()
        let recorder = Recorder<Int, Never>(demand: .max(1))
        meter.$level.subscribe(recorder)
        meter.level = 1
        meter.level = 2
        recorder.request(2)
        XCTAssertEqual(recorder.events, [.subscription("PublishedSubject"), .value(0), .value(2)])
        meter.level = 3
        XCTAssertEqual(recorder.values, [0, 2, 3])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_whatIsSetFromInsideCanBeReadBackAndIsDeliveredToAllInOneOrder() {
        let meter = Meter()
        let first = Recorder<Int, Never>(demand: .unlimited) { _, value in
            if value == 1 {
                meter.level = 2
                XCTAssertEqual(meter.level, 2)
            }
            return .none
        }
        let second = Recorder<Int, Never>(demand: .unlimited)
        meter.$level.subscribe(first)
        meter.$level.subscribe(second)
        meter.level = 1
        XCTAssertEqual(meter.level, 2, "the later change is the one that stays")
        XCTAssertEqual(first.values, [0, 1, 2])
        XCTAssertEqual(second.values, [0, 1, 2])
        XCTAssertEqual(first.breaches + second.breaches, [])
    }

    func test_orderOfValueAndOfDeliveriesAgreesBetweenThreads() {
        for _ in 0..<20 {
            let meter = Meter()
            let recorder = Recorder<Int, Never>(demand: .unlimited)
            meter.$level.subscribe(recorder)
            onThreads(2) { thread in
                for number in 1...100 { meter.level = thread * 100 + number }
            }
            XCTAssertEqual(recorder.values.sorted(), Array(0...200))
            XCTAssertEqual(recorder.values.last, meter.level)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_doesNotKeepTheObjectAndLetsGoOfSubscribersWithIt() {
        let before = Tracked.count
        var meter: Meter? = Meter()
        weak let watched = meter
        let tracked = Tracked()
        meter!.$level.subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.unlimited) },
                receiveValue: { _ in
                    _ = tracked
                    return .none
                }))
        _ = consume tracked
        meter = nil
        XCTAssertNil(watched)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_assignWritesUntilTheObjectGoesAndThenCancelsUpstream() {
        let upstream = HandPublisher<Int, Never>()
        var meter: Meter? = Meter()
        upstream.assign(to: &meter!.$level)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        meter!.$level.subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(meter!.level, 2)
        XCTAssertEqual(recorder.values, [0, 1, 2])
        recorder.cancel()
        meter = nil
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_assignOfAFinishedUpstreamLeavesThePropertyOpen() {
        let meter = Meter()
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        meter.$level.subscribe(recorder)
        (1...2).publisher.assign(to: &meter.$level)
        meter.level = 3
        XCTAssertEqual(recorder.values, [0, 1, 2, 3])
        XCTAssertNil(recorder.completion)
    }

    func test_subscribersMayReadThePropertyWhileItIsAssignedTo() {
        final class Model: ObservableObject {
            @Published var level = 0
        }
        let model = Model()
        var seen: [Int] = []
        let watch = model.objectWillChange.sink { seen.append(model.level) }
        (1...3).publisher.assign(to: &model.$level)
        XCTAssertEqual(seen, [0, 1, 2])
        watch.cancel()
    }

    func test_settingThePublisherOfAPropertyLeavesBothPropertiesAsTheyAre() {
        final class Model {
            @Published var level: Int
            init(_ level: Int) { self.level = level }
        }
        let (x, y) = (Model(1), Model(2))
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        x.$level.subscribe(recorder)
        x.$level = y.$level
        y.level = 9
        XCTAssertEqual(x.level, 1)
        x.level = 3
        XCTAssertEqual(y.level, 9)
        XCTAssertEqual(recorder.values, [1, 3])
    }
}
