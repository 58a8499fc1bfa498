import HeadgateTesting
import TestSupport
import XCTest

/// Rows that mean something else in the marble diagrams of other libraries are refused, with that reading.
final class ForeignMarblesTests: XCTestCase {
    private func assertRefused(
        _ row: String, _ reading: String, _ remedy: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let outcome = try outcome(ofMistake: "marbles: \(row)")
        XCTAssertEqual(outcome.reason, .uncaughtSignal, row, file: file, line: line)
        for text in [reading, remedy] {
            XCTAssertTrue(
                outcome.message.contains(text), "\(row): \(text) is not in \(outcome.message)", file: file, line: line)
        }
    }

    func test_severalValuesInARowAreRefused() throws {
        try assertRefused("--abcd--|", "'abcd', which is one value here and 4 values in", "'a-b-c-d'")
        try assertRefused("a-bc-d", "'bc', which is one value here and 2 values in", "'(bc)'")
        try assertRefused("--aaa--", "'aaa', which is one value here and 3 values in", "'( aaa )' for one value")
        try assertRefused("a-bb-c", "'bb', which is one value here and 2 values in", "'b-b'")
        try assertRefused("--123--|", "'123', which is one value here and 3 values in", "'1-2-3'")
        try assertRefused("1-12-3|", "'12', which is one value here and 2 values in", "'( 12 )' for one value")
    }

    func test_signsThatMeanSomethingElseAreRefused() throws {
        try assertRefused("a 100ms b", "' ', which takes no time in", "Write '-'")
        try assertRefused("a-100ms-b", "'100ms', which is one value here and a length of time in", "each column")
        try assertRefused("1-2-#", "'#', which is a failure in", "Write 'x'")
        try assertRefused("1-2-X", "'X', which is a value here and a failure in", "Write 'x'")
        try assertRefused("a-x-b|", "'x' before other events, which is a failure here and a value in", "another letter")
        try assertRefused("--a-^-b", "'^' among values, where it is the time of subscribing", "Begin the row")
        try assertRefused("--a-!", "'!' among values, where it is the time of cancelling", "the row of demand")
    }

    func test_whatCanOnlyBeMeantAsHereIsRead() {
        func values(_ row: String) -> [TimeLine.Sign] { TimeLine(values: row).signs(on: .values) }
        XCTAssertEqual(values("10--11--12|"), [.value("10"), .value("11"), .value("12"), .finish])
        XCTAssertEqual(values("100-123"), [.value("100"), .value("123")])
        XCTAssertEqual(values("up-no-hi"), [.value("up"), .value("no"), .value("hi")])
        XCTAssertEqual(values("( 123 )-(X)-( ab )"), [.value("123"), .value("X"), .value("ab")])
        XCTAssertEqual(values("(123)"), [.value("1"), .value("2"), .value("3")])
        XCTAssertEqual(values("a-b-(cx)"), [.value("a"), .value("b"), .value("c"), .failure])
    }
}
