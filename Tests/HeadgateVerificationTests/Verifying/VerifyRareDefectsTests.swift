import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// What a report calls held could have been found broken, and what nothing could have broken is not called held.
final class VerifyRareDefectsTests: XCTestCase {
    private let effort = Effort(systematicScripts: 800, randomScripts: 60)

    /// Does not wait long for what is known to hang.
    private let brisk = Effort(systematicScripts: 800, randomScripts: 60, timeout: 50)

    private func assertCaught(
        _ report: Verification, by rules: Rule..., file: StaticString = #filePath, line: UInt = #line
    ) {
        for rule in rules {
            XCTAssertTrue(report.brokenRules.contains(rule), "not caught by \(rule): \(report)", file: file, line: line)
        }
    }

    func test_catchesPublishers() {
        assertCaught(
            verify(publisher: RareDefects.finishesItsSentence, .finite, effort: effort), by: .cancelElsewhere)
        assertCaught(verify(publisher: RareDefects.listensToItsThread, .finite, effort: effort), by: .anyThread)
        assertCaught(verify(publisher: RareDefects.deliversAnywhere, .finite, effort: effort), by: .oneCallAtATime)
        assertCaught(verify(publisher: RareDefects.recursesNowAndThen, .finite, effort: effort), by: .flatStack)
        assertCaught(
            verify(publisher: RareDefects.takesEverythingForFifty, .unbounded, effort: effort), by: .unlimitedAbsorbs)
    }

    func test_catchesOperators() {
        verify(operator: { RudeOperators.make($0, .none) }, effort: effort).check { XCTFail($0, file: $1, line: $2) }
        let exhibits: [(RudeOperators.Defect, Rule)] = [
            (.stopsWhenForgotten, .droppedSubscription), (.cancelsTheFirstSubscription, .secondSubscription),
            (.requestsTheSecondSubscription, .secondSubscription), (.goesOnAfterItsOwnEnd, .ignoresLateEvents),
            (.endWaitsForDemand, .completesAfterLastValue), (.requestsNone, .requestingNoneDoesNothing),
            (.requestsBehindCancel, .lateRequestsDoNothing), (.requestsUnderALock, .noLockHeld),
            (.cancelsUnderALock, .noLockHeld),
            (.schedulesUnderALock, .noLockHeld),
        ]
        for (defect, rule) in exhibits {
            let effort = rule == .noLockHeld ? brisk : effort
            assertCaught(verify(operator: { RudeOperators.make($0, defect, $1) }, effort: effort), by: rule)
        }
    }

    func test_catchesSubjects() {
        verify(subject: RudeSubject(.none), effort: effort).check { XCTFail($0, file: $1, line: $2) }
        let exhibits: [(RudeSubject.Defect, Rule)] = [
            (.servesThreadsAtOnce, .oneCallAtATime), (.letsThreadsPass, .oneOrderForAll), (.recurses, .flatStack),
            (.forgetsWhoForgets, .droppedSubscription),
        ]
        for (defect, rule) in exhibits {
            assertCaught(verify(subject: RudeSubject(defect), effort: effort), by: rule)
        }
    }

    func test_callsNothingHeldThatNothingCouldHaveBroken() {
        let just = verify(publisher: Just(1), .finite, effort: effort)
        for rule in [Rule.exhaustedDemandDoesNotComplete, .demandAddsUp, .unlimitedAbsorbs, .noNestedValues] {
            XCTAssertEqual(just[rule], .notApplicable("the stream has at most one value"), "\(rule)")
        }
        for rule in [Rule.cancelElsewhere, .cancelStopsDelivery, .oneCallAtATime] { XCTAssertEqual(just[rule], .held) }

        let silence = verify(publisher: Empty<Int, Never>(completeImmediately: false), effort: effort)
        let unseen: [Rule] = [
            .oneCompletion, .silenceAfterTheEnd, .completesAfterLastValue, .exhaustedDemandDoesNotComplete,
            .demandAddsUp, .nothingIsLost,
            .oneCallAtATime, .anyThread, .noLockHeld, .workIsLeft, .noNestedValues, .flatStack, .cancelStopsDelivery,
            .cancelElsewhere,
        ]
        for rule in unseen { XCTAssertNotEqual(silence[rule], .held, "\(rule)") }

        let endless = verify(publisher: (1...).publisher, .unbounded, effort: effort)
        XCTAssertEqual(endless[.oneCompletion], .notApplicable("the stream has no end"))
        XCTAssertEqual(endless[.unlimitedAbsorbs], .held)

        let map = verify(operator: { $0.map { $0 } }, .transparent, effort: effort)
        XCTAssertEqual(map[.cancelsBeforeEnding], .notApplicable("the stream never completed before upstream did"))
        XCTAssertEqual(verify(operator: { $0.prefix(2) }, effort: effort)[.cancelsBeforeEnding], .held)
        XCTAssertEqual(verify(operator: { $0.prefix(2) }, effort: effort)[.droppedSubscription], .held)
    }
}
