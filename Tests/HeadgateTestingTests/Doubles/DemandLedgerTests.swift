import Headgate
import HeadgateTesting
import XCTest

final class DemandLedgerTests: XCTestCase {
    func test_reportsOnEveryEdgeWhoRequestedAndWhoDelivered() {
        let ledger = DemandLedger()
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        (1...4).publisher
            .recordingDemand(into: ledger, as: "source")
            .filter { $0.isMultiple(of: 2) }
            .recordingDemand(into: ledger, as: "filter")
            .subscribe(subscriber)
        XCTAssertEqual(
            ledger.description,
            """
            filter: requested 1, outstanding 1
            source: requested 1, outstanding 1
            source: delivered 1, outstanding 0
            source: answered 1, outstanding 1
            source: delivered 2, outstanding 0
            filter: delivered 2, outstanding 0
            """)
        XCTAssertEqual(ledger.requested(on: "source"), .max(2))
        XCTAssertEqual(ledger.delivered(on: "source"), 2)
        XCTAssertEqual(ledger.outstanding(on: "filter"), .none)
    }

    func test_reportsCancelAndEnd() {
        let ledger = DemandLedger()
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        (1...4).publisher.recordingDemand(into: ledger).subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(ledger.entries.last?.action, .cancelled)
        (1...1).publisher.recordingDemand(into: ledger).subscribe(TestSubscriber(.unlimited))
        XCTAssertEqual(ledger.entries.last?.action, .finished)
        XCTAssertEqual(ledger.entries.last?.outstanding, .unlimited)
    }

    func test_retainsNoSubscriber() {
        let source = TestPublisher<Int, Never>()
        weak var weakSubscriber: TestSubscriber<Int, Never>?
        do {
            let subscriber = TestSubscriber<Int, Never>()
            weakSubscriber = subscriber
            source.recordingDemand(into: DemandLedger()).subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertNil(weakSubscriber)
    }

    func test_anEdgeWithoutANameHasNoneInFront() {
        let ledger = DemandLedger()
        Just(1).recordingDemand(into: ledger).subscribe(TestSubscriber(.first(1)))
        XCTAssertEqual(ledger.description, "requested 1, outstanding 1\ndelivered 1, outstanding 0\nfinished")
    }
}
