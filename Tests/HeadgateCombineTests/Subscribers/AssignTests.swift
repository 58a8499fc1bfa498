import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class AssignTests: XCTestCase {
    private final class Meter {
        var level = 0
    }

    func test_writesEachValue() {
        let meter = Meter()
        let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
        let connection = upstream.assign(to: \.level, on: meter)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(1)
        XCTAssertEqual(meter.level, 1)
        upstream.send(2)
        XCTAssertEqual(meter.level, 2)
        connection.cancel()
        connection.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        upstream.force(3)
        XCTAssertEqual(meter.level, 2)
    }

    func test_writesNothingBeforeTheSubscription() {
        let meter = Meter()
        let assign = Subscribers.Assign(object: meter, keyPath: \.level)
        XCTAssertEqual(assign.receive(1), .none)
        XCTAssertEqual(meter.level, 0)
        [2].publisher.subscribe(assign)
        XCTAssertEqual(meter.level, 2)
    }

    func test_keepsTheObjectUntilTheEndAndUntilCancel() {
        for ends in [false, true] {
            var meter: Meter? = Meter()
            weak let watched = meter
            let upstream = TestPublisher<Int, Never>()
            let assign = Subscribers.Assign(object: meter!, keyPath: \.level)
            upstream.subscribe(assign)
            meter = nil
            XCTAssertNotNil(watched)
            XCTAssertNotNil(assign.object)
            if ends { upstream.finish() } else { assign.cancel() }
            XCTAssertNil(watched)
            XCTAssertNil(assign.object)
            XCTAssertEqual(assign.receive(4), .none)
        }
    }

    func test_isCancelledWhenReleased() {
        let upstream = TestPublisher<Int, Never>()
        _ = upstream.assign(to: \.level, on: Meter())
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_refusesASecondSubscription() {
        let assign = Subscribers.Assign(object: Meter(), keyPath: \.level)
        let first = LoggingSubscription()
        let second = LoggingSubscription()
        assign.receive(subscription: first)
        assign.receive(subscription: second)
        XCTAssertEqual(first.calls, ["request unlimited"])
        XCTAssertEqual(second.calls, ["cancel"])
    }

    func test_anObjectThatCancelsFromItsSetterReceivesNothingMore() {
        final class Once {
            var connection: AnyCancellable?
            var levels: [Int] = []
            var level = 0 {
                didSet {
                    levels.append(level)
                    connection?.cancel()
                }
            }
        }
        let once = Once()
        let subject = PassthroughSubject<Int, Never>()
        once.connection = subject.assign(to: \.level, on: once)
        subject.send(1)
        subject.send(2)
        XCTAssertEqual(once.levels, [1])
    }

    func test_showsItself() {
        let assign = Subscribers.Assign(object: Meter(), keyPath: \.level)
        XCTAssertEqual("\(assign)", "Assign Meter.")
        XCTAssertEqual(assign.playgroundDescription as? String, "Assign Meter.")
        XCTAssertEqual(assign.customMirror.children.map(\.label), ["object", "keyPath", "status"])
    }
}
