import Dispatch
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Publishers that deliver elsewhere raise no alarm, and those that don't look whether they were cancelled do.
final class AsynchronousConcurrencyTests: XCTestCase {
    private let effort = Effort(depth: 2, systematicScripts: 24, randomScripts: 4)

    func test_whatServesElsewhereConformsWithoutSettling() {
        for (name, hop) in HoppingCountdown.places {
            let report = verify(publisher: HoppingCountdown(hop: hop), [.finite, .asynchronous], effort: effort)
            XCTAssertTrue(report.isConforming, "\(name): \(report)")
            XCTAssertEqual(report[.cancelElsewhere], .held, name)
        }
    }

    /// The first event that is missing, and excused, does not make the verifier impatient with all others.
    func test_whatIsExcusedTurnsNoAlarmOn() {
        let brief = Effort(depth: 3, systematicScripts: 40, randomScripts: 4, timeout: 1000)
        for (name, hop) in HoppingCountdown.places {
            let report = verify(
                publisher: HoppingCountdown(hop: hop, start: 2, defect: .finishesAtTheNextDemand),
                [.finite, .asynchronous],
                effort: brief
            )
            XCTAssertTrue(report.brokenRules.contains(.completesAfterLastValue), "\(name): \(report)")
            let excused = report.excusing(.completesAfterLastValue, because: "it has to be read to find its end")
            XCTAssertTrue(excused.isConforming, "\(name): \(report)")
        }
    }

    func test_whatArrivesAfterCancelIsReportedThoughItIsOneValue() {
        for (name, hop) in HoppingCountdown.places {
            var report: Verification
            // It takes threads that run when they are due, which is up to the machine.
            var attempts = 0
            repeat {
                attempts += 1
                report = verify(
                    publisher: HoppingCountdown(hop: hop, defect: .ignoresCancel), [.hot, .asynchronous],
                    effort: effort)
            } while !report.brokenRules.contains(.cancelElsewhere) && attempts < 10
            XCTAssertTrue(report.brokenRules.contains(.cancelElsewhere), "\(name): \(report)")
        }
    }

    func test_whatArrivesAfterSettlingIsReportedAtOnce() throws {
        let queue = DispatchQueue(label: "values")
        let late = DispatchQueue(label: "late")
        let hop: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            queue.async { late.asyncAfter(deadline: .now() + .milliseconds(5), execute: work) }
        }
        let report = verify(
            publisher: HoppingCountdown(hop: hop, defect: .ignoresCancel), [.hot, .asynchronous], effort: effort,
            settle: { queue.sync {} })
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .cancelElsewhere }, "\(report)")
        XCTAssertTrue(evidence.breach.finding.hasPrefix("a value"), evidence.breach.finding)
        XCTAssertTrue(evidence.breach.finding.hasSuffix("ms after cancel() on another thread had returned"))
    }

    /// What another thread was delivering when `cancel()` returned is the call in progress; nothing follows it.
    func test_theDeliveryUnderWayIsTheOneThatMayBeLeft() {
        let subscriber = TestSubscriber<Int, Never>(.unlimited) { subscriber, _ in
            XCTAssertTrue(runSideBySide([{ subscriber.cancel() }], timeout: 2000))
        }
        let source = MisbehavingPublisher<Int, Never>(.ignoresCancel)
        source.subscribe(subscriber)
        XCTAssertEqual(Set(subscriber.breaches.map(\.rule)), [.cancelElsewhere])
    }
}
