import Headgate
import HeadgateTesting
import XCTest

final class ProbeTests: XCTestCase {
    func test_reportsWhichBranchWasSubscribedAndWhatBecameOfIt() {
        let left = SubscriptionProbe((1...2).publisher)
        let right = SubscriptionProbe((3...4).publisher)
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        left.subscribe(subscriber)
        XCTAssertTrue(left.wasSubscribed)
        XCTAssertFalse(right.wasSubscribed)
        XCTAssertFalse(left.isIdle)
        subscriber.cancel()
        XCTAssertEqual(left.cancelCount, 1)
        XCTAssertTrue(left.isIdle)
    }

    func test_countsASubscriptionThatIsCancelledAndCompletesAsEndedOnce() {
        let probe = SubscriptionProbe(TestPublisher<Int, Never>(serving: [1, 2], quirk: .completesInsideCancel))
        let (first, second) = (TestSubscriber<Int, Never>(.first(1)), TestSubscriber<Int, Never>(.first(1)))
        probe.subscribe(first)
        first.cancel()
        XCTAssertEqual([probe.cancelCount, probe.completionCount], [1, 1])
        XCTAssertTrue(probe.isIdle)
        probe.subscribe(second)
        XCTAssertFalse(probe.isIdle)
        second.cancel()
        XCTAssertTrue(probe.isIdle)
    }

    func test_reportsThreadsThatTouchTheScheduler() {
        nonisolated(unsafe) var reports: [String] = []
        let scheduler = UntouchableScheduler { reports.append($0) }
        scheduler.schedule {}
        _ = scheduler.now
        scheduler.schedule(after: .zero) {}
        _ = scheduler.schedule(after: .zero, interval: 1) {}
        XCTAssertEqual(
            reports,
            [
                "work was scheduled", "the scheduler's time was read", "work was scheduled for 0s",
                "work was scheduled for 0s and every 1s",
            ])
    }
}
