import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Streams of which two runs need not show the same values are verified all the same.
final class VerifyLossyStreamsTests: XCTestCase {
    private let effort = Effort(systematicScripts: 1200, randomScripts: 100)

    private func assertConforming(
        _ report: Verification, file: StaticString = #filePath, line: UInt = #line
    ) {
        report.excusing(.requestsOnlyForDemand, because: "it takes every value at its time").check(
            file: file, line: line
        ) { XCTFail($0, file: $1, line: $2) }
    }

    private func assertCaught(
        _ report: Verification, by rule: Rule, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertTrue(report.brokenRules.contains(rule), "not caught by \(rule): \(report)", file: file, line: line)
    }

    func test_catchesOperatorsThatDrop() {
        assertConforming(verify(operator: { BadLossyOperators.latest($0, .none) }, .dropsUnasked, effort: effort))
        let exhibits: [(BadLossyOperators.Defect, Rule)] = [
            (.dropsBehindARequest, .demandAddsUp), (.deliversWhatItDropped, .nothingIsLost),
            (.endsWhenUsedUp, .exhaustedDemandDoesNotComplete), (.endsLate, .completesAfterLastValue),
            (.usesUpUnlimited, .unlimitedAbsorbs), (.replacesDemand, .demandAddsUp),
        ]
        for (defect, rule) in exhibits {
            assertCaught(
                verify(operator: { BadLossyOperators.latest($0, defect) }, .dropsUnasked, effort: effort), by: rule)
        }
    }

    func test_raisesNoAlarmAboutWhatKeepsLittle() {
        let strategies: [Publishers.BufferingStrategy<VerificationFailure>] = [
            .dropNewest, .dropOldest, .customError { .upstreamFailed },
        ]
        for strategy in strategies {
            for prefetch in [Publishers.PrefetchStrategy.keepFull, .byRequest] {
                assertConforming(
                    verify(
                        operator: { $0.buffer(size: 2, prefetch: prefetch, whenFull: strategy) }, .dropsUnasked,
                        effort: effort))
            }
        }
        assertConforming(
            verify(
                operator: { $0.debounce(for: 1, scheduler: ImmediateScheduler.shared) }, .dropsUnasked, effort: effort))
    }

    func test_raisesNoAlarmAboutWhatEndsAtOnce() {
        let end = Just(1).setFailureType(to: VerificationFailure.self)
        let report = verify(operator: { $0.prefix(untilOutputFrom: end) }, effort: effort)
        assertConforming(report)
        XCTAssertEqual(
            report[.secondSubscription], .notCheckable("upstream did not have exactly one subscriber"))
    }

    func test_catchesOperatorsThatMerge() {
        assertConforming(verify(operator: { BadMerges.merge($0, .none) }, .merges, effort: effort))
        let exhibits: [(BadMerges.Defect, Rule)] = [
            (.turnsOneSourceRound, .nothingIsLost), (.losesValues, .nothingIsLost), (.repeatsValues, .nothingIsLost),
            (.endsWhenUsedUp, .exhaustedDemandDoesNotComplete),
        ]
        for (defect, rule) in exhibits {
            assertCaught(verify(operator: { BadMerges.merge($0, defect) }, .merges, effort: effort), by: rule)
        }
    }

    func test_catchesTickers() {
        assertConforming(verify(publisher: { BadTickers.ticker($0, .none) }, .hot, effort: effort))
        let exhibits: [(BadTickers.Defect, Rule)] = [
            (.replacesDemand, .demandAddsUp), (.forgetsAnswers, .demandAddsUp), (.usesUpUnlimited, .unlimitedAbsorbs),
            (.answersNone, .requestingNoneDoesNothing), (.endsWhenUsedUp, .exhaustedDemandDoesNotComplete),
        ]
        for (defect, rule) in exhibits {
            assertCaught(verify(publisher: { BadTickers.ticker($0, defect) }, .hot, effort: effort), by: rule)
        }
    }

    func test_everyRuleAboutDemandIsCheckedThoughValuesAreDropped() {
        let reports = [
            verify(operator: { $0.debounce(for: .seconds(1), scheduler: $1) }, .dropsUnasked, effort: effort),
            verify(operator: { $0.merge(with: TestPublisher(serving: [100, 200])) }, .merges, effort: effort),
            verify(subject: PassthroughSubject<Int, VerificationFailure>(), effort: effort),
        ]
        for report in reports {
            for rule in [
                Rule.exhaustedDemandDoesNotComplete, .completesAfterLastValue, .demandAddsUp, .unlimitedAbsorbs,
                .nothingIsLost,
            ] {
                XCTAssertEqual(report[rule], .held, "\(rule)")
            }
        }
    }
}
