import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ComparisonTests: XCTestCase {
    func test_publishesTheGreatestAndTheLeastValue() {
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).max()).values, [3])
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).min()).values, [1])
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).max(by: >)).values, [1])
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).min(by: >)).values, [3])
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).tryMax(by: <)).values, [3])
        XCTAssertEqual(outcome(of: Values([2, 1, 3, 2]).tryMin(by: <)).values, [1])
    }

    func test_publishesTheFirstOfEqualValues() {
        let words = Values(["bb", "aa", "c", "d"])
        XCTAssertEqual(outcome(of: words.max { $0.count < $1.count }).values, ["bb"])
        XCTAssertEqual(outcome(of: words.min { $0.count < $1.count }).values, ["c"])
    }

    func test_finishesWithoutAValueWhereThereIsNone() {
        let subscriber = outcome(of: Values([Int]()).max())
        XCTAssertEqual(subscriber.values, [])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Comparison") { $0.max() }
        checkFold(name: "Comparison") { $0.min() }
        checkFold(name: "TryComparison") { $0.tryMax(by: <) }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryComparison") { upstream, closure in upstream.tryMax { try closure($0) < closure($1) } }
        checkThrowing(name: "TryComparison") { upstream, closure in upstream.tryMin { try closure($0) < closure($1) } }
    }
}
