import Foundation
import HeadgateTesting

/// Completes the site that docc has built: what every page says of its symbol, and what the scripts of `Documentation/Book` read.
///
/// docc knows one module, because the symbols of all modules are merged for it. Here each page gets the module that a program
/// imports, the place of its source, and the place in the navigator where it is listed.
struct Book {
    let repository: URL

    /// The folder with what the step `site` has written.
    let work: URL
    let site: URL

    /// Where the sources are; `nil` if the site contains them.
    let sources: String?

    func write() throws {
        let places = try Places(at: work.appendingPathComponent("places.json"))
        let versions = try Versions(repository: repository)
        var navigator = try Navigator(site: site)
        var search = SearchIndex()
        var pages: [Page] = []
        var files: Set<String> = []
        for var page in try Page.all(of: site) {
            if let place = page.identifier.flatMap({ places.bySymbol[$0] }) {
                try page.show(place, version: versions.names[0], sources: sources)
                files.insert(place.file)
            } else if page.isExtension {
                try page.hideModules()
            }
            try navigator.list(&page)
            try page.write()
            search.add(page)
            pages.append(page)
        }
        let questions = try Questions(repository: repository, pages: pages)
        for (name, content) in [
            ("search", try search.json()), ("questions", try questions.json()), ("played", try PlayedOperators.json()),
            ("versions", try versions.json()), ("rules", try rules()),
        ] {
            try content.write(to: site.appendingPathComponent("book/\(name).json"))
        }
        if sources == nil { try SourcePages(repository: repository, site: site).write(files.sorted()) }
        print("\(search.count) entries of the search, \(questions.leaves.count) answers of the chooser")
    }

    /// The sentences of the contract's rules, for the heads of the tables of conformance.
    private func rules() throws -> Data {
        let sentences = Rule.all.map { ($0.number, $0.sentence) }
        return try JSONEncoder().encode(Dictionary(sentences) { first, _ in first })
    }
}

/// Where the symbols are declared, by their identifiers: what is known before docc runs, and needed after it.
struct Places {
    struct Place: Equatable {
        let file: String
        let line: Int

        var module: String { String(file.split(separator: "/").dropFirst().first ?? "") }

        /// What a program imports to use it.
        var imports: String {
            switch module {
            case "HeadgateCore", "HeadgateCombine": "import Headgate or HeadgateCombine"
            default: "import \(module)"
            }
        }
    }

    let bySymbol: [String: Place]

    init(of symbols: [Symbol]) {
        var places: [String: Place] = [:]
        for symbol in symbols {
            guard let file = symbol.file, let line = symbol.line else { continue }
            places[symbol.identifier] = Place(file: "Sources/" + file, line: line)
        }
        bySymbol = places
    }

    init(at url: URL) throws {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: [String]] ?? [:]
        bySymbol = json.compactMapValues { $0.count == 2 ? Place(file: $0[0], line: Int($0[1]) ?? 1) : nil }
    }

    func write(to url: URL) throws {
        let json = bySymbol.mapValues { [$0.file, String($0.line)] }
        try JSONSerialization.data(withJSONObject: json, options: .sortedKeys).write(to: url)
    }
}

/// The list at the side of the site: where it lists a page.
///
/// docc says of an operator that it is below `Publisher`, and lists it below a page of topics. The navigator then finds only `Publisher`.
struct Navigator {
    private var trails: [String: [String]] = [:]
    private var parents: [String: Page] = [:]
    private let site: URL

    init(site: URL) throws {
        self.site = site
        let index = try JSONSerialization.jsonObject(
            with: Data(contentsOf: site.appendingPathComponent("index/index.json")))
        let languages = (index as? [String: Any])?["interfaceLanguages"] as? [String: Any]
        for root in languages?["swift"] as? [[String: Any]] ?? [] { collect(root, below: []) }
    }

    /// The shortest way to a page is the one that is shown.
    private mutating func collect(_ node: [String: Any], below trail: [String]) {
        var below = trail
        if let path = node["path"] as? String {
            if trails[path].map({ $0.count > trail.count }) ?? true { trails[path] = trail }
            below.append(path)
        }
        for child in node["children"] as? [[String: Any]] ?? [] { collect(child, below: below) }
    }

    /// Makes a page's parents those of the list.
    mutating func list(_ page: inout Page) throws {
        guard let trail = trails[page.path], !trail.isEmpty else { return }
        for path in trail where parents[path] == nil {
            parents[path] = try Page(at: Page.url(of: path, in: site), in: site)
        }
        try page.show(parents: trail.compactMap { parents[$0] })
    }
}
