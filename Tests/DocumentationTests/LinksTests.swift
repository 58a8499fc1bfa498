import XCTest

@testable import documentation

final class LinksTests: XCTestCase {
    private func symbol(_ path: [String], _ identifier: String, kind: String = "swift.method") -> Symbol {
        Symbol(json: ["pathComponents": path, "identifier": ["precise": identifier], "kind": ["identifier": kind]])
    }

    private func index() -> SymbolIndex {
        var own = SymbolGraph(extended: nil, content: [:])
        own.symbols = [
            symbol(["Just"], "s:just", kind: "swift.struct"), symbol(["Publisher", "filter(_:)"], "s:filter"),
            symbol(["Publisher", "map(_:)"], "s:map"), symbol(["Publisher", "map(_:)"], "s:mapKeyPath"),
        ]
        var foreign = SymbolGraph(extended: "Swift", content: [:])
        foreign.symbols = [symbol(["Sequence", "publisher"], "s:publisher")]
        return SymbolIndex([own, foreign])
    }

    /// Two names that the documentation compiler has been seen to tell apart so.
    func test_overloadsAreDistinguishedAsTheDocumentationCompilerDoes() {
        XCTAssertEqual(
            SymbolIndex.hash(
                "s:12HeadgateCore9PublisherP0A7CombineE3mapyAA10PublishersOADE3MapVy_xqd__Gqd__6OutputQzclF"),
            "375i7")
        XCTAssertEqual(
            SymbolIndex.hash(
                "s:12HeadgateCore9PublisherP0A7CombineE3mapyAA10PublishersOADE10MapKeyPathVy_xqd__Gs0hI0Cy6OutputQzqd__GlF"
            ),
            "1q171")
    }

    func test_typesAndOperatorsWithTheirLabelsBecomeLinks() {
        let links = Links(index: index())
        XCTAssertEqual(links.added(to: "A `Just` is."), "A ``/Headgate/Just`` is.")
        XCTAssertEqual(links.added(to: "`filter(_:)`"), "``/Headgate/Publisher/filter(_:)``")
        XCTAssertEqual(links.added(to: "`filter` and `nothing(_:)`"), "`filter` and `nothing(_:)`")
    }

    func test_aNameAloneIsALinkWhereOperatorsAreListed() {
        let links = Links(index: index(), isLoose: true)
        XCTAssertEqual(links.added(to: "`filter`"), "[`filter`](<doc:/Headgate/Publisher/filter(_:)>)")
    }

    func test_overloadsAreLinkedWithTheirHash() {
        XCTAssertEqual(
            Links(index: index()).added(to: "`map(_:)`"), "``/Headgate/Publisher/map(_:)-\(SymbolIndex.hash("s:map"))``"
        )
    }

    func test_codeHeadingsAndPicturesStayAsTheyAre() {
        let text = "# `Just`\n```swift\n`Just`\n```\n![`Just`](a)"
        XCTAssertEqual(Markdown(text).rewritten { Links(index: index()).added(to: $0) }, text)
    }

    func test_linksOfSingleModulesLeadIntoTheOne() {
        XCTAssertEqual(
            Links(index: index()).added(to: "``HeadgateCore/Publisher/filter(_:)``"),
            "``/Headgate/Publisher/filter(_:)``")
    }

    func test_aPageDoesNotLinkToItself() {
        let own = symbol(["Just"], "s:just", kind: "swift.struct")
        XCTAssertEqual(Links(index: index()).added(to: "`Just`", except: own), "`Just`")
    }
}
