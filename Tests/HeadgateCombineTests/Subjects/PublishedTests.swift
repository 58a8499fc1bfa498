import HeadgateCombine
import HeadgateTesting
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

    func test_honoursDemandAndDeliversTheLatestToALateRequest() {
        let meter = Meter()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        meter.$level.subscribe(subscriber)
        meter.level = 1
        meter.level = 2
        subscriber.request(2)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("PublishedSubject"), .request(.max(1)), .value(0), .request(.max(2)), .value(2)])
        meter.level = 3
        XCTAssertEqual(subscriber.values, [0, 2, 3])
    }

    func test_whatIsSetFromInsideCanBeReadBackAndIsDeliveredToAllInOneOrder() {
        let meter = Meter()
        let first = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { _, value in
            if value == 1 {
                meter.level = 2
                XCTAssertEqual(meter.level, 2)
            }
            return .none
        }
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        meter.$level.subscribe(first)
        meter.$level.subscribe(second)
        meter.level = 1
        XCTAssertEqual(meter.level, 2, "the later change is the one that stays")
        XCTAssertEqual(first.values, [0, 1, 2])
        XCTAssertEqual(second.values, [0, 1, 2])
    }

    func test_orderOfValueAndOfDeliveriesAgreesBetweenThreads() {
        for _ in 0..<20 {
            let meter = Meter()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            meter.$level.subscribe(subscriber)
            onThreads(2) { thread in
                for number in 1...100 { meter.level = thread * 100 + number }
            }
            XCTAssertEqual(subscriber.values.sorted(), Array(0...200))
            XCTAssertEqual(subscriber.values.last, meter.level)
        }
    }

    func test_doesNotKeepTheObjectAndReleasesSubscribersWithIt() {
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

    func test_theLatestValueCanStillBeRequestedOnceWhenTheObjectIsGone() {
        var meter: Meter? = Meter()
        let late = TestSubscriber<Int, Never>.checked(.none)
        let served = TestSubscriber<Int, Never>.checked(.unlimited)
        meter!.$level.subscribe(late)
        meter!.$level.subscribe(served)
        meter!.level = 1
        meter = nil
        late.request(2)
        late.request(1)
        served.request(1)
        XCTAssertEqual(late.values, [1])
        XCTAssertEqual(served.values, [0, 1])
        late.cancel()
    }

    func test_aSubscriberThatMayStillRequestTheLatestValueIsReleasedWithItsSubscription() {
        enum Farewell: CaseIterable {
            case nothing
            case cancel
            case request
            case requestAndCancel
        }
        for farewell in Farewell.allCases {
            let before = Tracked.count
            var meter: Meter? = Meter()
            var subscription: (any Subscription)?
            do {
                let tracked = Tracked()
                meter!.$level.subscribe(
                    AnySubscriber(
                        receiveSubscription: { subscription = $0 },
                        receiveValue: { _ in
                            _ = tracked
                            return .none
                        }))
            }
            meter = nil
            XCTAssertEqual(Tracked.count, before + 1, "\(farewell)")
            switch farewell {
            case .nothing: break
            case .cancel: subscription?.cancel()
            case .request: subscription?.request(.max(1))
            case .requestAndCancel:
                subscription?.request(.max(1))
                subscription?.cancel()
            }
            if farewell != .nothing { XCTAssertEqual(Tracked.count, before, "\(farewell)") }
            subscription = nil
            XCTAssertEqual(Tracked.count, before, "\(farewell)")
        }
    }

    func test_assignWritesUntilTheObjectGoesAndThenCancelsUpstream() {
        let upstream = TestPublisher<Int, Never>()
        var meter: Meter? = Meter()
        upstream.assign(to: &meter!.$level)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        meter!.$level.subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(meter!.level, 2)
        XCTAssertEqual(subscriber.values, [0, 1, 2])
        subscriber.cancel()
        meter = nil
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_assignWritesNothingAfterTheEnd() {
        let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
        let meter = Meter()
        upstream.assign(to: &meter.$level)
        upstream.send(1)
        upstream.finish()
        upstream.force(2)
        XCTAssertEqual(meter.level, 1)
    }

    func test_assignOfAFinishedUpstreamLeavesThePropertyOpen() {
        let meter = Meter()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        meter.$level.subscribe(subscriber)
        (1...2).publisher.assign(to: &meter.$level)
        meter.level = 3
        XCTAssertEqual(subscriber.values, [0, 1, 2, 3])
        XCTAssertNil(subscriber.completion)
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
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        x.$level.subscribe(subscriber)
        x.$level = y.$level
        y.level = 9
        XCTAssertEqual(x.level, 1)
        x.level = 3
        XCTAssertEqual(y.level, 9)
        XCTAssertEqual(subscriber.values, [1, 3])
    }
}
