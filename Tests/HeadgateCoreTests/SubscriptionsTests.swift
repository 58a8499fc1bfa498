import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class SubscriptionsTests: XCTestCase {
    func test_emptyDoesNothing() {
        let subscription = Subscriptions.empty
        subscription.request(.none)
        subscription.request(.unlimited)
        subscription.cancel()
        subscription.request(.max(1))
        XCTAssertEqual("\(subscription)", "Empty")
    }

    func test_emptyIsOneObject() {
        XCTAssertTrue(Subscriptions.empty as AnyObject === Subscriptions.empty as AnyObject)
        XCTAssertEqual(Subscriptions.empty.combineIdentifier, Subscriptions.empty.combineIdentifier)
    }

    func test_emptyServesASubscriberThatGetsNothing() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(3))
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(.first))
        XCTAssertEqual(subscriber.received, [.subscription("Empty"), .completion(.failure(.first))])
    }
}
