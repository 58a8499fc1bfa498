import Headgate
import HeadgateCore
import HeadgateTesting
import XCTest

@testable import HeadgateConformance

/// What becomes of a failure that arrives after `cancel()`, for every operator of the catalogue.
final class LateFailureTests: XCTestCase {
    override func tearDown() { Undeliverables.observe(nil) }

    func test_everyOperatorNotesAFailureAfterCancelOnce() {
        let failures = Guarded(0)
        Undeliverables.observe { signal in
            if case .failure = signal { failures.withLock { $0 += 1 } }
        }
        var checkedCount = 0
        // It takes the signals of its stream for itself.
        for (name, operation) in Candidate.operations where name != "onUndeliverable" {
            let scheduler = TestScheduler()
            let upstream = TestPublisher<Int, VerificationFailure>(keepsSubscribers: true)
            let subscriber = operation.apply(upstream.eraseToAnyPublisher(), scheduler)
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            scheduler.advance(by: .seconds(1000))
            // An operator that begins with another publisher has not subscribed to this one.
            if upstream.subscriptionCount == 0 || upstream.cancelCount > 0 { continue }
            subscriber.cancel()
            scheduler.advance(by: .seconds(1000))
            failures.withLock { $0 = 0 }
            upstream.force(completion: .failure(.upstreamFailed))
            scheduler.advance(by: .seconds(1000))
            XCTAssertEqual(failures.withLock { $0 }, upstream.subscriptionCount, name)
            checkedCount += 1
        }
        XCTAssertGreaterThan(checkedCount, 150)
    }
}
