import Headgate
import HeadgateTesting
import XCTest

@testable import HeadgateConformance

final class PageTests: XCTestCase {
    private let effort = Effort(systematicScripts: 100, randomScripts: 5)

    private var sound: Verification { verify(publisher: (1...3).publisher, .finite, effort: effort) }

    private var unsound: Verification {
        verify(publisher: MisbehavingPublisher<Int, Never>(.ignoresDemand), .finite, effort: effort)
    }

    private func makePage(_ reports: Page.Report...) -> Page { Page(families: [Family("all", reports)]) }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// How many cells of a kind a picture has.
    private func cells(_ kind: String, in picture: String) -> Int {
        guard let start = picture.range(of: "class=\"\(kind)\" d=\"") else { return 0 }
        return count("M", in: String(picture[start.upperBound...].prefix { $0 != "\"" }))
    }

    func test_thePictureHasACellForEverySubjectAndRule() {
        let picture = makePage(("a", sound), ("b", unsound)).svg
        let all = ["held", "broken", "not-applicable", "not-checkable"].map { cells($0, in: picture) }.reduce(0, +)
        XCTAssertEqual(all, 2 * Page.rules.count)
        XCTAssertEqual(cells("broken", in: picture), unsound.broken.count)
        XCTAssertGreaterThan(cells("broken", in: picture), 0)
        // A number for each rule, a title, a name for each subject, a word for each kind.
        XCTAssertEqual(count("<text", in: picture), Page.rules.count + 1 + 2 + 4)
        XCTAssertEqual(count("class=\"legend\"", in: picture), 4)
    }

    func test_aLongTableHasARowForEachFamilyWhichIsBrokenWhereOneOfItsSubjectsIs() {
        let families = [30, 20, 15].map { Family("all", Array(repeating: Page.Report("a", sound), count: $0)) }
        let picture = Page(families: families).svg
        for count in [30, 20, 15] { XCTAssertTrue(picture.contains(">all (\(count))<")) }
        XCTAssertEqual(count(">a<", in: picture), 0)
        XCTAssertEqual(count(">1.1<", in: picture), 1)
        let single = makePage(Page.Report("a", sound)).svg
        for kind in ["held", "not-applicable", "not-checkable"] {
            XCTAssertEqual(cells(kind, in: picture), 3 * cells(kind, in: single))
        }
        let broken = Page(families: families + [Family("one", [("a", sound), ("b", unsound)])]).svg
        XCTAssertEqual(cells("broken", in: broken), unsound.broken.count)
    }

    func test_thePictureOfWhatIsSoundHasNoBrokenCell() {
        XCTAssertEqual(cells("broken", in: makePage(("a", sound)).svg), 0)
    }

    func test_thePageExplainsEveryRuleAndDrawsWhatIsBroken() {
        let page = makePage(("a", sound), ("b", unsound)).html
        XCTAssertEqual(count("<dt id=\"rule-", in: page), Page.rules.count)
        XCTAssertEqual(count("<td", in: page), 2 * Page.rules.count)
        XCTAssertEqual(count("<svg", in: page), unsound.broken.count)
        XCTAssertTrue(page.contains("b breaks 1.2"))
        XCTAssertTrue(page.contains("Rules are broken by 1 of 2."))
        XCTAssertTrue(page.contains("<code>cancel()</code>"))
        XCTAssertFalse(page.contains("`"))
    }

    func test_thePageOfWhatIsSoundDrawsNothing() {
        let page = makePage(("a", sound)).html
        XCTAssertEqual(count("<svg", in: page), 0)
        XCTAssertTrue(page.contains("No rule is broken."))
    }

    func test_namesAreEscaped() {
        let page = makePage(("<&>\"", sound))
        for text in [page.svg, page.html] {
            XCTAssertTrue(text.contains("&lt;&amp;&gt;&quot;"))
            XCTAssertFalse(text.contains("<&"))
        }
    }

    func test_theSameFindingsMakeTheSamePage() {
        let first = makePage(("a", sound), ("b", unsound))
        let second = makePage(("a", sound), ("b", unsound))
        XCTAssertEqual(first.svg, second.svg)
        XCTAssertEqual(first.html, second.html)
    }

    func test_writesBothFilesAndSaysWhatItCannotWrite() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let page = makePage(("a", sound))
        XCTAssertNil(page.write(to: directory.path))
        XCTAssertNil(page.write(to: directory.path), "a page is written over")
        for (name, text) in [("conformance.svg", page.svg), ("index.html", page.html)] {
            let file = directory.appendingPathComponent(name)
            XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), text)
        }
        let inside = directory.appendingPathComponent("index.html/page").path
        XCTAssertTrue(try XCTUnwrap(page.write(to: inside)).contains("can't be made"))
    }
}
