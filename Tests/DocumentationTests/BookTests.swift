import Foundation
import XCTest

@testable import documentation

/// What is added to docc's pages: made of small pages as docc writes them.
final class BookTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    /// A page of an operator of `Publisher`, or an article where there is no identifier.
    private func page(
        _ path: String, title: String, identifier: String? = nil, picture: String? = nil, content: String = ""
    ) throws -> Page {
        let symbol = identifier.map { #""externalID":"\#($0)","# } ?? ""
        let image = picture.map {
            #"{"type":"paragraph","inlineContent":[{"type":"image","identifier":"\#($0)"}]},"#
        }
        let reference = picture.map { #""\#($0)":{"type":"image","alt":"Time-line: self","variants":[]}"# } ?? ""
        let text = """
            {"identifier":{"url":"doc://Headgate\(path)"},"kind":"symbol","hierarchy":{"paths":[["doc://old"]]},\
            "abstract":[{"type":"text","text":"What \(title) does."}],\
            "metadata":{\(symbol)"title":"\(title)","role":"symbol","roleHeading":"Method","modules":[{"name":"Headgate"}]},\
            "primaryContentSections":[{"kind":"content","content":[\(image ?? "")\(content)\
            {"type":"paragraph","inlineContent":[{"type":"text","text":"Rope and pulley."}]}]}],\
            "references":{\(reference)}}
            """
        let url = Page.url(of: path, in: folder)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
        return try Page(at: url, in: folder)
    }

    private func written(_ page: Page) throws -> [String: Any] {
        try page.write()
        let data = try Data(contentsOf: Page.url(of: page.path, in: folder))
        return try XCTUnwrap(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    // MARK: - Pages

    func test_aPageSaysWhatToImportAndWhereItsSourceIs() throws {
        var page = try page("/documentation/headgate/publisher/map(_:)", title: "map(_:)", identifier: "s:map")
        let place = Places.Place(file: "Sources/HeadgateSystem/Files/Map.swift", line: 7)
        try page.show(place, version: "0.9", sources: nil)
        XCTAssertEqual(page.module, "HeadgateSystem")
        let metadata = try XCTUnwrap(written(page)["metadata"] as? [String: Any])
        XCTAssertEqual(
            metadata["modules"] as? [[String: String]], [["name": "Headgate 0.9"], ["name": "import HeadgateSystem"]])
        XCTAssertEqual(
            metadata["remoteSource"] as? [String: String],
            ["fileName": "Map.swift", "url": "/source/Sources/HeadgateSystem/Files/Map.swift.html#L7"])
    }

    func test_linksToTheSourceLeadToARepositoryIfOneIsNamed() throws {
        var page = try page("/documentation/headgate/just", title: "Just", identifier: "s:just")
        let place = Places.Place(file: "Sources/HeadgateCore/Just.swift", line: 3)
        try page.show(place, version: "1", sources: "https://host/blob")
        let metadata = try XCTUnwrap(written(page)["metadata"] as? [String: Any])
        XCTAssertEqual(
            (metadata["remoteSource"] as? [String: String])?["url"],
            "https://host/blob/Sources/HeadgateCore/Just.swift#L3")
        XCTAssertEqual(page.imports, "import Headgate or HeadgateCombine")
    }

    func test_aPageIsListedBelowItsParents() throws {
        let parent = try page("/documentation/headgate/time", title: "Time")
        var child = try page("/documentation/headgate/publisher/map(_:)", title: "map(_:)", identifier: "s:map")
        try child.show(parents: [parent])
        let json = try written(child)
        XCTAssertEqual(
            (json["hierarchy"] as? [String: Any])?["paths"] as? [[String]],
            [["doc://Headgate/documentation/headgate/time"]])
        let references = try XCTUnwrap(json["references"] as? [String: [String: Any]])
        XCTAssertEqual(references["doc://Headgate/documentation/headgate/time"]?["title"] as? String, "Time")
    }

    func test_aPageThatDoccWritesOtherwiseIsRefused() throws {
        let url = Page.url(of: "/documentation/headgate/odd", in: folder)
        _ = try page("/documentation/headgate/odd", title: "Odd")
        try #"{"identifier":{},"metadata":{},"references":{}}"#.write(to: url, atomically: false, encoding: .utf8)
        var page = try Page(at: url, in: folder)
        XCTAssertThrowsError(try page.show(parents: []))
    }

    // MARK: - Search

    func test_theSearchHasTheTextOfEachSection() throws {
        let heading = #"{"type":"heading","text":"On deck","anchor":"On-deck","level":2},"#
        var index = SearchIndex()
        index.add(try page("/documentation/headgate/sails", title: "Sails", content: heading))
        XCTAssertEqual(index.count, 2)
        XCTAssertEqual(index.entries.map(\.title), ["Sails", "Sails › On deck"])
        XCTAssertEqual(
            index.entries.map(\.path), ["/documentation/headgate/sails", "/documentation/headgate/sails#On-deck"])
        XCTAssertEqual(index.entries[1].text, "Rope and pulley.")
        let rows = try JSONSerialization.jsonObject(with: index.json()) as? [[String]]
        XCTAssertEqual(rows?[0], ["Sails", "Method", "", "/documentation/headgate/sails", "What Sails does."])
    }

    func test_theTextOfASymbolIsOneEntry() throws {
        let heading = #"{"type":"heading","text":"Discussion","anchor":"discussion","level":2},"#
        var index = SearchIndex()
        index.add(
            try page("/documentation/headgate/just", title: "Just", identifier: "s:just", content: heading))
        XCTAssertEqual(index.entries.map(\.title), ["Just"])
        XCTAssertTrue(index.entries[0].text.contains("Rope and pulley."))
    }

    // MARK: - Versions

    func test_versionsAreTheHeadingsOfTheChangelog() throws {
        let versions = try Versions(changelog: "# Changelog\n\n## 0.3\n\nNot yet released.\n\n### Added\n\n## 0.2\n")
        XCTAssertEqual(versions.names, ["0.3", "0.2"])
        XCTAssertFalse(versions.isReleased)
        XCTAssertTrue(try Versions(changelog: "## 0.3\n\nNew.\n\n## 0.2\n\nNot yet released\n").isReleased)
        XCTAssertThrowsError(try Versions(changelog: "# Changelog\n"))
    }

    // MARK: - Questions

    private func questions(_ json: String, table: String) throws -> Questions {
        let book = folder.appendingPathComponent("Documentation/Book")
        try FileManager.default.createDirectory(at: book, withIntermediateDirectories: true)
        try json.write(to: book.appendingPathComponent("questions.json"), atomically: false, encoding: .utf8)
        try table.write(
            to: folder.appendingPathComponent("Documentation/Operators.md"), atomically: false, encoding: .utf8)
        let root = "/documentation/headgate/publisher/"
        return try Questions(
            repository: folder,
            pages: [
                page(root + "map(_:)", title: "map(_:)", identifier: "s:1", picture: "map"),
                page(root + "batch(count:)", title: "batch(count:)", identifier: "s:2", picture: "batch-1"),
                page(root + "batch(within:)", title: "batch(within:)", identifier: "s:3", picture: "batch-2"),
                page(root + "bare(_:)", title: "bare(_:)", identifier: "s:4"),
            ])
    }

    private static func json(_ answers: String) -> String { #"{"question":"What?","answers":[\#(answers)]}"# }

    func test_anAnswerShowsThePageOfItsOperator() throws {
        let questions = try questions(
            Self.json(
                #"{"answer":"each","operator":"map"},{"answer":"groups","operator":"batch(within:)","also":["batch(count:)"]}"#
            ), table: "| task | name |\n| --- | --- |\n| each | `map` |\n")
        XCTAssertEqual(questions.leaves.map(\.picture), ["map", "batch-2"])
        XCTAssertEqual(questions.leaves[1].path, "/documentation/headgate/publisher/batch(within:)")
        XCTAssertEqual(questions.leaves[1].others?[0][1], "/documentation/headgate/publisher/batch(count:)")
        XCTAssertEqual(questions.leaves[0].summary, "What map(_:) does.")
    }

    func test_questionsThatLeadNowhereAreRefused() throws {
        let map = #"{"answer":"each","operator":"map"}"#
        for (answers, table, words) in [
            (map, "| task | `batch` |\n", "No answer leads to batch"),
            (map + #",{"answer":"no"}"#, "", "leads nowhere"),
            (map + #",{"answer":"no","operator":"sail"}"#, "", "no page of sail"),
            (map + #",{"answer":"no","operator":"bare"}"#, "", "bare has no picture"),
            (map + #",{"answer":"no","goTo":"sail"}"#, "", #"no answer "sail""#),
            (map + #",{"answer":"no","answers":[]}"#, "", "no question"),
        ] {
            XCTAssertThrowsError(try questions(Self.json(answers), table: table)) { error in
                XCTAssertTrue("\(error)".contains(words), "\(error)")
            }
        }
    }
}
