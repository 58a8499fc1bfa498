import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

final class SubscriptionSlotTests: XCTestCase {
    func test_passesRequestsOnWhileFilledAndAtNoOtherTime() {
        let slot = SubscriptionSlot()
        let subscription = LoggingSubscription()
        slot.request(.max(1))
        XCTAssertTrue(slot.fill(with: subscription))
        slot.request(.max(2))
        XCTAssertTrue(slot.close())
        slot.request(.max(3))
        XCTAssertEqual(subscription.calls, ["request max(2)"])
    }

    func test_cancelsASecondSubscriptionAndKeepsTheFirst() {
        let slot = SubscriptionSlot()
        let first = LoggingSubscription()
        let second = LoggingSubscription()
        XCTAssertTrue(slot.fill(with: first))
        XCTAssertFalse(slot.fill(with: second))
        XCTAssertEqual(first.calls, [])
        XCTAssertEqual(second.calls, ["cancel"])
        XCTAssertTrue(slot.subscription as AnyObject === first)
    }

    func test_cancelsASubscriptionThatComesAfterCancel() {
        let slot = SubscriptionSlot()
        XCTAssertTrue(slot.cancel())
        let subscription = LoggingSubscription()
        XCTAssertFalse(slot.fill(with: subscription))
        XCTAssertEqual(subscription.calls, ["cancel"])
    }

    func test_cancelsOnce() {
        let slot = SubscriptionSlot()
        let subscription = LoggingSubscription()
        XCTAssertTrue(slot.fill(with: subscription))
        XCTAssertFalse(slot.isClosed)
        XCTAssertTrue(slot.cancel())
        XCTAssertFalse(slot.cancel())
        XCTAssertFalse(slot.close())
        XCTAssertTrue(slot.isClosed)
        XCTAssertEqual(subscription.calls, ["cancel"])
    }

    func test_doesNotCancelWhatHasEnded() {
        let slot = SubscriptionSlot()
        let subscription = LoggingSubscription()
        XCTAssertTrue(slot.fill(with: subscription))
        XCTAssertTrue(slot.close())
        XCTAssertFalse(slot.cancel())
        XCTAssertEqual(subscription.calls, [])
    }

    func test_releasesTheSubscriptionWhenItCloses() {
        for cancels in [false, true] {
            let slot = SubscriptionSlot()
            var subscription: LoggingSubscription? = LoggingSubscription()
            weak let watched = subscription
            XCTAssertTrue(slot.fill(with: subscription!))
            subscription = nil
            XCTAssertNotNil(watched)
            if cancels { slot.cancel() } else { _ = slot.close() }
            XCTAssertNil(watched)
        }
    }

    func test_cancelFromInsideCancelAndRequestDoesNotMeetALock() {
        let slot = SharedSlot()
        let subscription = LoggingSubscription()
        subscription.onCall = { slot.cancel() }
        XCTAssertTrue(slot.slot.fill(with: subscription))
        slot.slot.request(.max(1))
        XCTAssertEqual(subscription.calls, ["request max(1)", "cancel"])
    }

    func test_cancelOnOneThreadAndFillOnAnotherCancelExactlyOnce() {
        for _ in 0..<500 {
            let slot = SharedSlot()
            let subscription = LoggingSubscription()
            onThreads(2) { thread in
                if thread == 0 {
                    _ = slot.slot.fill(with: subscription)
                } else {
                    slot.cancel()
                }
            }
            XCTAssertEqual(subscription.calls, ["cancel"])
        }
    }
}
