import Dispatch
import Headgate
import HeadgateTesting
import XCTest

/// What is wrong only where threads meet has to be caught, and by the rule that it breaks.
final class StressMuseumTests: XCTestCase {
    private let effort = StressEffort(rounds: 300, patience: 200)

    private func assertCaught(
        _ report: Verification, by rule: Rule, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertTrue(report.brokenRules.contains(rule), "not caught by \(rule): \(report)", file: file, line: line)
    }

    func test_catchesPublishers() {
        let exhibits: [(BadlyThreaded.Defect, Rule)] = [
            (.servesOnEveryThread, .oneCallAtATime), (.losesDemand, .demandAddsUp), (.endsTwice, .oneCompletion),
            (.ignoresCancelElsewhere, .cancelMeansStop), (.holdsItsLock, .noLockHeld),
        ]
        for (defect, rule) in exhibits {
            assertCaught(stress(publisher: BadlyThreaded.publisher(defect), .finite, effort: effort), by: rule)
        }
    }

    func test_catchesAnOperatorThatHopsToAConcurrentQueue() {
        let queue = DispatchQueue(label: "values", attributes: .concurrent)
        let report = stress(
            operator: { upstream, _ in BadlyThreaded.hopping(upstream, to: queue) }, .transparent, effort: effort,
            settle: { queue.sync(flags: .barrier) {} })
        assertCaught(report, by: .oneCallAtATime)
    }

    func test_catchesAMergeThatDeliversOnEveryThread() {
        let report = stress(
            joining: 2, { upstreams, _ in BadlyThreaded.merging(upstreams) }, .merges, effort: effort)
        assertCaught(report, by: .oneCallAtATime)
    }

    func test_catchesSubjects() {
        let exhibits: [(BadlyThreadedSubject.Defect, Rule)] = [
            (.deliversOnEveryThread, .oneCallAtATime), (.deliversOnEveryThread, .oneOrderForAll),
            (.holdsItsLock, .noLockHeld), (.dropsWhatComesMeanwhile, .nothingIsLost),
        ]
        for (defect, rule) in exhibits {
            assertCaught(
                stress(subject: BadlyThreadedSubject(defect), effort: StressEffort(rounds: 40, patience: 200)), by: rule
            )
        }
    }
}
