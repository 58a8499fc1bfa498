import HeadgateCore
import HeadgateTesting
import XCTest

@testable import documentation

final class DocumentedTimeLineTests: XCTestCase {
    private func row(_ text: String) -> [TimeLine.Sign]? {
        DocumentedTimeLine(["self  " + text])?.rows[0].signs.map(\.sign)
    }

    func test_anOperatorIsARowACaptionAndARowWithoutAName() throws {
        let line = try XCTUnwrap(
            DocumentedTimeLine(["self      1---2---3---|", "map       *10", "          10--20--30--|"]))
        XCTAssertEqual(line.rows.map(\.name), ["self", "map", ""])
        XCTAssertEqual(line.rows.map(\.isCaption), [false, true, false])
        XCTAssertEqual(line.rows[1].words, "*10")
        XCTAssertEqual(line.rows[2].signs.map(\.column), [0, 4, 8, 12])
        XCTAssertEqual(line.rows[2].signs.map(\.sign), [.value("10"), .value("20"), .value("30"), .finish])
    }

    func test_valuesMayBeArraysTextsAndTuples() {
        XCTAssertEqual(row("[1, 2]--[3]-|"), [.value("[1, 2]"), .value("[3]"), .finish])
        XCTAssertEqual(row("\"bb\"--\"a\"|"), [.value("\"bb\""), .value("\"a\""), .finish])
        XCTAssertEqual(row("--(1,a)-(2,b)-|"), [.value("(1,a)"), .value("(2,b)"), .finish])
        XCTAssertEqual(row("--created(a)---"), [.value("created(a)")])
    }

    func test_aGroupIsSeveralSignsAtOneMoment() {
        XCTAssertEqual(row("--(12)--(6|)"), [.value("1"), .value("2"), .value("6"), .finish])
        XCTAssertEqual(row("--([1, 2, 3]|)"), [.value("[1, 2, 3]"), .finish])
        XCTAssertEqual(row("--([5]|)"), [.value("[5]"), .finish])
        XCTAssertEqual(row("--(true|)"), [.value("true"), .finish])
        XCTAssertEqual(row("--(2a2b)"), [.value("2a"), .value("2b")])
        XCTAssertEqual(row("--(1a)"), [.value("1"), .value("a")])
    }

    func test_aCrossIsAFailureAndAnExclamationMarkACancel() {
        XCTAssertEqual(row("1-x"), [.value("1"), .failure])
        XCTAssertEqual(row("1-!"), [.value("1"), .cancel])
    }

    func test_bracketsAroundTimeAreAConnection() {
        XCTAssertEqual(row("[---------!"), [.begin, .cancel])
        XCTAssertEqual(row("[----]"), [.begin, .end])
    }

    func test_aRowMayBeginLate() throws {
        let line = try XCTUnwrap(DocumentedTimeLine(["subject   1---2---3---4---|", "late            --3---4---|"]))
        XCTAssertEqual(line.rows[1].start, 6)
        XCTAssertEqual(line.rows[1].signs.map(\.column), [8, 12, 16])
    }

    func test_requestsAreDemandAlsoWhereTheyAreNumbers() throws {
        let line = try XCTUnwrap(DocumentedTimeLine(["self      1--2--3|", "requests  1-----2"]))
        XCTAssertEqual(line.rows[1].signs.map(\.sign), [.request(.max(1)), .request(.max(2))])
        XCTAssertEqual(row("^1----^*---"), [.request(.max(1)), .request(.unlimited)])
        let drawn = line.svg(on: .light)
        XCTAssertEqual(drawn.components(separatedBy: "class=\"request\"").count - 1, 2)
    }

    func test_aRemarkIsNoSign() throws {
        let line = try XCTUnwrap(DocumentedTimeLine(["self      1---2---3---|      of a source that waits"]))
        XCTAssertEqual(line.rows[0].signs.count, 4)
        XCTAssertEqual(line.rows[0].words, "of a source that waits")
    }

    func test_otherCodeIsNoTimeLine() {
        XCTAssertNil(DocumentedTimeLine(["$ swift build"]))
        XCTAssertNil(DocumentedTimeLine([]))
        XCTAssertNil(DocumentedTimeLine(["key      words and words"]))
    }

    func test_whereNothingIsSaidOfDemandEverythingIsRequested() throws {
        let line = try XCTUnwrap(DocumentedTimeLine(["self      1---2---|"]))
        XCTAssertTrue(line.svg(on: .dark).contains(">∞</text>"))
    }

    func test_lightAndDarkDifferInColoursAlone() throws {
        let picture = try XCTUnwrap(DocumentedTimeLine(["self      1---2---x"]))
        let withoutColours = [TimeLinePicture.Ground.light, .dark].map {
            picture.svg(on: $0).replacing(/#[0-9a-f]{6}/, with: "")
        }
        XCTAssertNotEqual(picture.svg(on: .light), picture.svg(on: .dark))
        XCTAssertEqual(withoutColours[0], withoutColours[1])
    }
}
