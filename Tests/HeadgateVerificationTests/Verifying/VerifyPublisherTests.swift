import Dispatch
import Headgate
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class VerifyPublisherTests: XCTestCase {
    func test_raisesNoAlarmAboutASequence() {
        let report = verify(publisher: (1...5).publisher, .finite)
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.flatStack], .held)
        XCTAssertEqual(report[.noLockHeld], .held)
        XCTAssertEqual(report[.releasesReferences], .held)
    }

    func test_raisesNoAlarmAboutATestPublisher() {
        let report = verify(
            publisher: TestPublisher<Int, TestFailure>(serving: [1, 2, 3, 4], ending: .failure(.first)),
            [.finite, .fails])
        XCTAssertEqual(report.broken.map(\.description), [])
    }

    func test_raisesNoAlarmAboutAnEndlessPublisher() {
        let report = verify(publisher: (1...).publisher, .unbounded)
        XCTAssertEqual(report.broken.map(\.description), [])
    }

    func test_catchesEveryMisbehaviourByItsRule() {
        for misbehaviour in Misbehaviour.allCases {
            let report = verify(publisher: MisbehavingPublisher<Int, Never>(misbehaviour), .finite)
            XCTAssertTrue(report.brokenRules.contains(misbehaviour.rule), "\(misbehaviour): \(report)")
        }
    }

    func test_showsTheSmallestSequenceOfEvents() {
        let report = verify(publisher: MisbehavingPublisher<Int, Never>(.finishesWhenDemandIsUsedUp), .finite)
        let evidence = report.broken.first { $0.breach.rule == .exhaustedDemandDoesNotComplete }
        XCTAssertEqual(evidence?.script, "subscribe; request 1")
        XCTAssertEqual(evidence?.timeLine.description, "values  --1-|\ndemand  ^1---")
    }

    func test_raisesNoAlarmAboutAPublisherWithAQueueOfItsOwn() {
        let queue = DispatchQueue(label: "values")
        let report = verify(
            publisher: (1...4).publisher.receive(on: queue), [.finite, .asynchronous, .holdsSubscribers],
            effort: Effort(depth: 3, systematicScripts: 80, randomScripts: 10),
            settle: { for _ in 0..<4 { queue.sync {} } }
        )
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.noLockHeld], .notCheckable("the subject has threads of its own"))
    }

    func test_doesNotExpectASubjectOrAChainToForget() {
        let chain = (1...4).publisher.receive(on: ImmediateScheduler.shared)
        XCTAssertEqual(verify(publisher: chain, .finite).brokenRules, [.droppedSubscription])
        let report = verify(publisher: chain, [.finite, .holdsSubscribers])
        XCTAssertEqual(report.brokenRules, [])
        XCTAssertEqual(
            report[.droppedSubscription], .notApplicable("it holds its subscribers until they cancel or it completes"))
    }
}
