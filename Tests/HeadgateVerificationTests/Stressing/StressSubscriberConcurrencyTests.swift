import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

@testable import HeadgateVerification

/// The subscriber of stress tests tells which call was under way when another thread cancelled.
final class StressSubscriberConcurrencyTests: XCTestCase {
    private typealias Listener = StressSubscriber<Int, TestFailure>

    /// Subscribes, does something inside the first delivery, and hears the end after it.
    private func receive(insideTheDelivery body: @escaping (Listener) -> Void, end: Bool = true) -> [Rule] {
        weak var weakListener: Listener?
        let listener = Listener(timeout: 2000, onValue: { _ in if let weakListener { body(weakListener) } })
        weakListener = listener
        listener.receive(subscription: Subscriptions.empty)
        listener.request(.max(2))
        _ = listener.receive(1)
        if end { listener.receive(completion: .finished) }
        return listener.breaches.map(\.rule)
    }

    func test_nothingMayFollowTheCallThatWasUnderWay() {
        XCTAssertEqual(receive { listener in onAnotherThread { listener.cancel() } }, [.cancelElsewhere])
        XCTAssertEqual(
            receive(insideTheDelivery: { listener in onAnotherThread { listener.cancel() } }, end: false), [])
    }

    func test_oneCallMayFollowWhereNoneWasSeen() {
        let listener = Listener(timeout: 2000)
        listener.receive(subscription: Subscriptions.empty)
        listener.request(.max(2))
        onAnotherThread { listener.cancel() }
        _ = listener.receive(1)
        XCTAssertEqual(listener.breaches, [])
        _ = listener.receive(2)
        XCTAssertEqual(listener.breaches.map(\.rule), [.cancelElsewhere])
    }

    func test_aCallInsideAnotherIsNestedOnOneThreadAndOverlapsOnTwo() {
        XCTAssertEqual(receive(insideTheDelivery: { $0.receive(completion: .finished) }, end: false), [.noNestedValues])
        let rules = receive(
            insideTheDelivery: { listener in onAnotherThread { listener.receive(completion: .finished) } }, end: false)
        XCTAssertEqual(rules, [.oneCallAtATime])
    }
}

private func onAnotherThread(_ body: @escaping () -> Void) {
    XCTAssertTrue(runSideBySide([body], timeout: 2000))
}
