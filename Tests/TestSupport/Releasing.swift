import HeadgateCore
import HeadgateTesting
import XCTest

/// The ways in which a subscription comes to its end.
package enum Ending: CaseIterable { case completion, cancel, cancelInsideDelivery, drop }

/// Checks that a publisher's subscription releases what it publishes and its subscriber, however it ends.
///
/// - Parameter retainsSubscription: Whether somebody holds on to the subscription after the end.
package func assertReleases<P: Publisher>(
    endings: [Ending] = Ending.allCases, retainsSubscription: Bool = true, file: StaticString = #filePath,
    line: UInt = #line, _ publisher: (Tracked) -> P
) {
    let before = Tracked.count
    for ending in endings {
        var kept: (any Subscription)?
        if ending == .drop {
            let witness = Tracked()
            publisher(Tracked()).subscribe(AnySubscriber(receiveSubscription: { [witness] _ in _ = witness }))
        } else {
            let subscriber = TestSubscriber<P.Output, P.Failure>.checked(file: file, line: line) {
                [witness = Tracked()] subscriber, _ in
                _ = witness
                if ending == .cancelInsideDelivery { subscriber.cancel() }
            }
            publisher(Tracked()).subscribe(subscriber)
            kept = subscriber.subscription
            if ending == .cancel {
                subscriber.cancel()
                kept?.request(.unlimited)
            } else {
                subscriber.request(.unlimited)
            }
            if ending == .completion {
                XCTAssertNotNil(subscriber.completion, file: file, line: line)
            } else {
                XCTAssertNil(subscriber.completion, "\(ending)", file: file, line: line)
            }
        }
        if !retainsSubscription { kept = nil }
        XCTAssertEqual(Tracked.count, before, "\(ending)", file: file, line: line)
        _ = kept
    }
}
