import HeadgateCore
import XCTest

/// The ways in which a subscription comes to its end.
package enum Ending: CaseIterable { case completion, cancel, cancelInsideDelivery, drop }

/// Checks that a publisher's subscription lets go of what it publishes and of its subscriber, however it ends.
///
/// - Parameter keepsSubscription: Whether somebody holds on to the subscription behind the end.
package func assertLetsGo<P: Publisher>(
    endings: [Ending] = Ending.allCases, keepsSubscription: Bool = true, file: StaticString = #filePath,
    line: UInt = #line, _ publisher: (Tracked) -> P
) {
    let before = Tracked.count
    for ending in endings {
        var kept: (any Subscription)?
        if ending == .drop {
            let witness = Tracked()
            publisher(Tracked()).subscribe(AnySubscriber(receiveSubscription: { [witness] _ in _ = witness }))
        } else {
            let recorder = Recorder<P.Output, P.Failure>()
            publisher(Tracked()).subscribe(recorder)
            kept = recorder.subscription
            let witness = Tracked()
            recorder.onValue = { recorder, _ in
                _ = witness
                if ending == .cancelInsideDelivery { recorder.cancel() }
                return .none
            }
            if ending == .cancel { recorder.cancel() }
            kept?.request(.unlimited)
            if ending == .completion {
                XCTAssertNotNil(recorder.completion, file: file, line: line)
            } else {
                XCTAssertNil(recorder.completion, "\(ending)", file: file, line: line)
            }
        }
        if !keepsSubscription { kept = nil }
        XCTAssertEqual(Tracked.count, before, "\(ending)", file: file, line: line)
        _ = kept
    }
}
