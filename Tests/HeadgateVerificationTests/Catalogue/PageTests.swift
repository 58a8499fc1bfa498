import Headgate
import HeadgateTesting
import XCTest

@testable import HeadgateConformance
import HeadgateVerification

final class PageTests: XCTestCase {
    private let effort = Effort(systematicScripts: 100, randomScripts: 5)

    private var sound: Verification { verify(publisher: (1...3).publisher, .finite, effort: effort) }

    private var unsound: Verification {
        verify(publisher: MisbehavingPublisher<Int, Never>(.ignoresDemand), .finite, effort: effort)
    }

    private func makePage(_ reports: Page.Report...) -> Page { Page(families: [Family("all", reports)]) }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    func test_thePageExplainsEveryRuleAndDrawsWhatIsBroken() {
        let page = makePage(("a", sound), ("b", unsound)).html
        XCTAssertEqual(count("<dt id=\"rule-", in: page), Page.rules.count)
        XCTAssertEqual(count("<td", in: page), 2 * Page.rules.count)
        XCTAssertEqual(count("<pre", in: page), unsound.broken.count)
        XCTAssertTrue(page.contains("b breaks 1.2"))
        XCTAssertTrue(page.contains("Rules are broken by 1 of 2."))
        XCTAssertTrue(page.contains("<code>cancel()</code>"))
        XCTAssertFalse(page.contains("`"))
    }

    func test_thePageOfWhatIsSoundDrawsNothing() {
        let page = makePage(("a", sound)).html
        XCTAssertEqual(count("<pre", in: page), 0)
        XCTAssertTrue(page.contains("No rule is broken."))
    }

    func test_namesAreEscaped() {
        let page = makePage(("<&>\"", sound))
        XCTAssertTrue(page.html.contains("&lt;&amp;&gt;&quot;"))
        XCTAssertFalse(page.html.contains("<&"))
    }

    func test_theSameFindingsMakeTheSamePage() {
        let first = makePage(("a", sound), ("b", unsound))
        let second = makePage(("a", sound), ("b", unsound))
        XCTAssertEqual(first.html, second.html)
    }

    func test_writesThePageAndSaysWhatItCannotWrite() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let page = makePage(("a", sound))
        XCTAssertNil(page.write(to: directory.path))
        XCTAssertNil(page.write(to: directory.path), "a page is written over")
        let file = directory.appendingPathComponent("index.html")
        XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), page.html)
        let inside = directory.appendingPathComponent("index.html/page").path
        XCTAssertTrue(try XCTUnwrap(page.write(to: inside)).contains("can't be made"))
    }
}
