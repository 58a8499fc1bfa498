import Foundation

/// A page of the site as docc has written it: read as JSON, and changed in the text, because writing all of it anew takes long.
struct Page {
    private let content: [String: Any]
    private var text: String
    private let url: URL

    /// Below the site's address, in lower case: `/documentation/headgate/just`.
    let path: String

    /// The module that declares the page's symbol, and what a program imports to use it.
    private(set) var module = ""
    private(set) var imports: String?

    static func all(of site: URL) throws -> [Page] {
        let folder = site.appendingPathComponent("data/documentation")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".json") }.map { try Page(at: folder.appendingPathComponent($0), in: site) }
    }

    static func url(of path: String, in site: URL) -> URL { site.appendingPathComponent("data\(path).json") }

    init(at url: URL, in site: URL) throws {
        let data = try Data(contentsOf: url)
        guard let content = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Complaint("\(url.path) is no page.")
        }
        self.content = content
        self.url = url
        text = String(decoding: data, as: UTF8.self)
        path = String(url.path.dropFirst(site.path.count + "/data".count).dropLast(".json".count))
    }

    func write() throws { try text.write(to: url, atomically: false, encoding: .utf8) }

    private var metadata: [String: Any] { content["metadata"] as? [String: Any] ?? [:] }
    private var references: [String: Any] { content["references"] as? [String: Any] ?? [:] }

    /// What docc calls the page.
    private var name: String { (content["identifier"] as? [String: Any])?["url"] as? String ?? "" }

    /// The symbol's, `nil` for an article.
    var identifier: String? { metadata["externalID"] as? String }

    var title: String { metadata["title"] as? String ?? "" }
    var baseName: String { String(title.prefix { $0 != "(" }) }
    var summary: String { text(of: content["abstract"]) }
    var kind: String { metadata["roleHeading"] as? String ?? "Article" }
    var isExtension: Bool { (metadata["symbolKind"] as? String)?.contains("extension") ?? false }

    /// The first time-line of the page.
    var picture: String? {
        let contents = (content["primaryContentSections"] as? [[String: Any]] ?? []).flatMap {
            $0["content"] as? [[String: Any]] ?? []
        }
        let images = contents.flatMap { $0["inlineContent"] as? [[String: Any]] ?? [] }
            .filter { $0["type"] as? String == "image" }
        for image in images {
            guard let identifier = image["identifier"] as? String,
                let alternative = (references[identifier] as? [String: Any])?["alt"] as? String,
                alternative.hasPrefix("Time-line")
            else { continue }
            return identifier
        }
        return nil
    }

    /// Says where the page's symbol is declared, and what to import.
    mutating func show(_ place: Places.Place, version: String, sources: String?) throws {
        module = place.module
        imports = place.imports
        let source = [
            "fileName": place.file.split(separator: "/").last.map(String.init) ?? "",
            "url": sources.map { "\($0)/\(place.file)#L\(place.line)" } ?? "/source/\(place.file).html#L\(place.line)",
        ]
        // docc shows modules only if there are several.
        let modules = [["name": "Headgate \(version)"], ["name": place.imports]]
        try replace(
            from: "\"modules\":[", through: "}]",
            with: "\"modules\":\(Self.json(modules)),\"remoteSource\":\(Self.json(source))")
    }

    /// A page that lists what is added to a type of another module has members of several of ours.
    mutating func hideModules() throws {
        guard let modules = metadata["modules"] as? [Any], !modules.isEmpty else { return }
        try replace(from: "\"modules\":[", through: "}]", with: "\"modules\":[]")
    }

    mutating func show(parents: [Page]) throws {
        let paths = try Self.json([parents.map(\.name)])
        try replace(from: "\"hierarchy\":{", through: "]}", with: "\"hierarchy\":{\"paths\":\(paths)}")
        for parent in parents where references[parent.name] == nil {
            let reference: [String: Any] = [
                "type": "topic", "kind": parent.content["kind"] ?? "article",
                "role": parent.metadata["role"] ?? "article",
                "title": parent.title, "url": parent.path, "identifier": parent.name, "abstract": [String](),
            ]
            let entry = try "\(Self.json([parent.name: reference]).dropFirst().dropLast()),"
            try replace(from: "\"references\":{", through: "", with: "\"references\":{" + entry)
        }
    }

    /// Replaces a piece of the text, which has a name that no other has: within strings, quotes are escaped.
    private mutating func replace(from start: String, through end: String, with new: String) throws {
        guard let first = text.range(of: start),
            let last = end.isEmpty ? first : text.range(of: end, range: first.upperBound..<text.endIndex),
            end.isEmpty || text.range(of: start, range: last.upperBound..<text.endIndex) == nil
        else { throw Complaint("\(path) is not what docc wrote once: there is no one \(start) in it.") }
        text.replaceSubrange(first.lowerBound..<last.upperBound, with: new)
    }

    private static func json(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: [.withoutEscapingSlashes, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    /// The text below each heading, which is `nil` for what stands above the first.
    var sections: [(heading: String?, anchor: String?, text: String)] {
        var sections: [(heading: String?, anchor: String?, text: String)] = [(nil, nil, summary)]
        for section in content["primaryContentSections"] as? [[String: Any]] ?? [] {
            switch section["kind"] as? String {
            case "content":
                for element in section["content"] as? [[String: Any]] ?? [] {
                    let anchor = element["anchor"] as? String
                    if element["type"] as? String == "heading", let anchor, identifier == nil, anchor != "overview" {
                        sections.append((element["text"] as? String, anchor, ""))
                    } else {
                        sections[sections.count - 1].text += " " + text(of: element)
                    }
                }
            case "parameters": sections[0].text += " " + text(of: section["parameters"])
            default: break
            }
        }
        return sections.map {
            ($0.heading, $0.anchor, $0.text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    }

    /// The words of a piece of content, whatever it is.
    private func text(of json: Any?) -> String {
        if let list = json as? [Any] { return list.map { text(of: $0) }.joined(separator: isInline(list) ? "" : " ") }
        guard let object = json as? [String: Any] else { return "" }
        switch object["type"] as? String {
        case "text": return object["text"] as? String ?? ""
        case "heading": return (object["text"] as? String ?? "") + "."
        case "codeVoice": return object["code"] as? String ?? ""
        case "codeListing": return (object["code"] as? [String] ?? []).joined(separator: " ")
        case "reference":
            let reference = (object["identifier"] as? String).flatMap { references[$0] as? [String: Any] }
            return reference?["title"] as? String ?? ""
        default: break
        }
        let name = object["kind"] == nil ? object["name"] as? String ?? "" : ""
        return ([name] + ["inlineContent", "content", "items", "rows", "header"].map { text(of: object[$0]) })
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func isInline(_ list: [Any]) -> Bool {
        let inline: Set<String> = ["text", "codeVoice", "reference", "emphasis", "strong", "link", "image"]
        return list.allSatisfy { (($0 as? [String: Any])?["type"] as? String).map(inline.contains) ?? false }
    }
}
