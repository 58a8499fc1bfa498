import HeadgateCore
import HeadgateTesting
import XCTest

/// The kit's subscriber notices that a publisher of the museum holds a lock.
final class TestSubscriberLockTests: XCTestCase {
    func test_notesAPublisherThatKeepsOtherThreadsOut() {
        for reaction in [Reaction.requestElsewhere(.max(1)), .cancelElsewhere] {
            let subscriber = TestSubscriber<Int, VerificationFailure>(.first(1, then: reaction), timeout: 50)
            BadPublishers.holdsALock.subscribe(subscriber)
            XCTAssertEqual(subscriber.breaches.map(\.rule), [.noLockHeld])
        }
    }

    func test_reportsAPublisherThatKeepsOtherThreadsOut() {
        var reported: [Rule] = []
        let subscriber = TestSubscriber<Int, VerificationFailure>(
            .first(1, then: .cancelElsewhere), timeout: 50, onBreach: { reported.append($0.rule) })
        BadPublishers.holdsALock.subscribe(subscriber)
        XCTAssertEqual(reported, [.noLockHeld])
    }
}
