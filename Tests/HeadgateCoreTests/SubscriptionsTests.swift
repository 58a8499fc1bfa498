import HeadgateCore
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
        let recorder = Recorder<Int, TestFailure>(demand: .max(3))
        recorder.receive(subscription: Subscriptions.empty)
        recorder.receive(completion: .failure(.first))
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.failure(.first))])
        XCTAssertEqual(recorder.breaches, [])
    }
}
