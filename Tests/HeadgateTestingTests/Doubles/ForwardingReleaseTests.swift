import Headgate
import HeadgateTesting
import XCTest

/// The kit's own operators release upstream's subscription at the end, though theirs is retained.
final class ForwardingReleaseTests: XCTestCase {
    private typealias Upstream = TestPublisher<Int, VerificationFailure>
    private typealias Downstream = TestSubscriber<Int, VerificationFailure>

    private func assertReleases<P: Publisher<Int, VerificationFailure>>(
        _ operation: (Upstream) -> P, line: UInt = #line
    ) {
        for isCancelled in [true, false] {
            let upstream = Upstream()
            let subscriber = Downstream(.unlimited, misbehavior: .retainsSubscription)
            operation(upstream).subscribe(subscriber)
            XCTAssertFalse(upstream.areSubscriptionsReleased, line: line)
            if isCancelled { subscriber.cancel() } else { upstream.finish() }
            XCTAssertTrue(upstream.areSubscriptionsReleased, line: line)
            withExtendedLifetime(subscriber) {}
        }
    }

    func test_validatedReleasesUpstreamsSubscription() { assertReleases { $0.validated("stage") } }

    func test_recordingDemandReleasesUpstreamsSubscription() {
        let ledger = DemandLedger()
        assertReleases { $0.recordingDemand(into: ledger) }
    }
}
