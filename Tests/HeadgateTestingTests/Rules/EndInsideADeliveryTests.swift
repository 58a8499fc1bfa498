import HeadgateCore
import HeadgateTesting
import XCTest

/// An end that comes while a value is being delivered breaks the rule for one thread or the rule for several.
final class EndInsideADeliveryTests: XCTestCase {
    private func receive(_ end: @escaping (TestSubscriber<Int, TestError>) -> Void) -> [Rule] {
        let subscriber = TestSubscriber<Int, TestError>(.unlimited) { subscriber, _ in end(subscriber) }
        subscriber.receive(subscription: Subscriptions.empty)
        _ = subscriber.receive(1)
        return subscriber.breaches.map(\.rule)
    }

    func test_onTheSameThreadItIsNested() {
        XCTAssertEqual(receive { $0.receive(completion: .finished) }, [.noNestedValues])
    }

    func test_onAnotherThreadItOverlaps() {
        let rules = receive { subscriber in
            XCTAssertTrue(runSideBySide([{ subscriber.receive(completion: .finished) }], timeout: 2000))
        }
        XCTAssertEqual(rules, [.oneCallAtATime])
    }
}
