import Headgate
import HeadgateTesting
import XCTest

/// Every exhibit has to be caught, and by the rule that it breaks.
final class MuseumTests: XCTestCase {
    private let brisk = Effort(systematicScripts: 600, randomScripts: 60, patience: 50)

    private func assertCaught(
        _ report: Verification, by rule: Rule, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertTrue(report.brokenRules.contains(rule), "not caught by \(rule): \(report)", file: file, line: line)
    }

    func test_catchesPublishers() {
        let exhibits: [(Exhibit, Rule)] = [
            (BadPublishers.sendsAtSubscription, .valuesAgainstDemand),
            (BadPublishers.ignoresDemand, .valuesAgainstDemand),
            (BadPublishers.sendsWithoutSubscription, .oneSubscription),
            (BadPublishers.forgetsAnswers, .demandAddsUp),
            (BadPublishers.replacesDemand, .demandAddsUp),
            (BadPublishers.servesNone, .noneIsNothing),
            (BadPublishers.nests, .noNestedValues),
            (BadPublishers.recurses, .flatStack),
            (BadPublishers.ignoresCancelInside, .cancelMeansStop),
            (BadPublishers.finishesAtCancel, .cancelMeansStop),
            (BadPublishers.finishesWhenUsedUp, .demandIsNoEnd),
            (BadPublishers.finishesLate, .endsBehindTheLastValue),
            (BadPublishers.finishesAgain, .oneCompletion),
            (BadPublishers.keepsItsSubscriber, .letsGo),
            (BadPublishers.holdsALock, .noLockHeld),
        ]
        for (index, (exhibit, rule)) in exhibits.enumerated() {
            let report = verify(publisher: exhibit, .finite, effort: brisk)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(index) is not caught by \(rule): \(report)")
        }
    }

    func test_catchesTimers() {
        let exhibits: [(BadTimers.Defect, Rule)] = [
            (.forgetsAnswers, .demandAddsUp), (.goesOnAfterTheEnd, .letsGo), (.ignoresCancel, .cancelMeansStop),
            (.completesAgain, .oneCompletion), (.ignoresDemand, .valuesAgainstDemand),
        ]
        for (defect, rule) in exhibits {
            assertCaught(verify(publisher: { BadTimers.timer($0, defect) }, .finite, effort: brisk), by: rule)
        }
    }

    func test_catchesOperators() {
        let exhibits: [(BadOperators.Defect, Rule)] = [
            (.ignoresDemand, .valuesAgainstDemand), (.filtersWithoutAsking, .demandAddsUp),
            (.keepsTheLastThree, .nothingIsLost), (.losesItsBufferAtTheEnd, .nothingIsLost),
            (.endOvertakesValues, .nothingIsLost), (.servesTheNewestFirst, .nothingIsLost),
            (.swallowsCancel, .cancelReachesUpstream),
            (.endsWithoutCancelling, .cancelsBeforeEnding), (.cancelsTooLate, .cancelsBeforeEnding),
            (.swallowsFailure, .nothingIsLost), (.keepsEverything, .letsGo),
            (.takesSecondSubscription, .secondSubscription), (.handsOnWhatComesLate, .ignoresWhatComesLate),
            (.cancelsTwice, .cancelReachesUpstream),
        ]
        for (defect, rule) in exhibits {
            let report = verify(operator: { BadOperators.make(defect, $0) }, [.finite, .fails], effort: brisk)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(defect) is not caught by \(rule): \(report)")
        }
    }

    func test_catchesSubjects() {
        let exhibits: [(PlainSubject.Defect, Rule)] = [
            (.sendsAtOnce, .oneOrderForAll), (.servesBackwards, .orderOfSubscribers),
            (.ignoresDemand, .valuesAgainstDemand), (.silentAfterTheEnd, .ignoresWhatComesLate),
            (.goesOnAfterTheEnd, .silenceAfterTheEnd), (.servesWhoHasLeft, .cancelMeansStop),
            (.neverForgets, .letsGo), (.holdsALock, .noLockHeld), (.ignoresUpstream, .demandAddsUp),
        ]
        for (defect, rule) in exhibits {
            let report = verify(subject: PlainSubject(defect), effort: brisk)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(defect) is not caught by \(rule): \(report)")
        }
    }
}
