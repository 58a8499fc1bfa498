import Foundation
import HeadgateTesting

/// The catalogue and the symbol graphs from which the site is built.
///
/// On the site all modules are one, as they are for a program that imports `Headgate`: operators that different modules add to
/// `Publisher` stand on one page.
struct Site {
    let repository: URL
    let graphs: URL
    let output: URL

    private var catalog: URL { output.appendingPathComponent("Headgate.docc") }
    private var symbolGraphs: URL { output.appendingPathComponent("symbol-graphs") }

    func write() throws {
        for folder in [catalog, symbolGraphs] {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        var graphs = try merged()
        let symbols = graphs[0].symbols
        let index = SymbolIndex(graphs)
        var comments = DocumentationComments(index: index)
        comments.rewrite(&graphs)
        for graph in graphs { try graph.write(to: symbolGraphs) }
        if !comments.missing.isEmpty {
            throw Complaint("These operators have no time-line:\n" + comments.missing.joined(separator: "\n"))
        }
        for (name, picture) in comments.pictures {
            try (picture.svg(on: .light) + "\n").write(to: catalog.appendingPathComponent("\(name).svg"))
            try (picture.svg(on: .dark) + "\n").write(to: catalog.appendingPathComponent("\(name)~dark.svg"))
        }
        try writePages(index: index, symbols: symbols)
        print("\(symbols.count) symbols, \(comments.pictures.count) pictures of time-lines")
    }

    /// What stands in the catalogues of all modules: the pages of topics, and the guides and pictures, to which symbolic links lead.
    private func writePages(index: SymbolIndex, symbols: [Symbol]) throws {
        let files = Generator.modules.flatMap { module -> [URL] in
            let folder = repository.appendingPathComponent("Sources/\(module)/\(module).docc")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().map { folder.appendingPathComponent($0) }
        }
        let pages = files.filter { $0.pathExtension == "md" }
        let articles = Articles(pages: pages, index: index)
        var topics = TopicPages(index: index, symbols: symbols)
        for page in pages {
            let text =
                try articles.converted(page)
                ?? Markdown(topics.fill(page.text())).rewritten { Links(index: index).added(to: $0) }
            try text.write(to: catalog.appendingPathComponent(page.lastPathComponent))
        }
        if !topics.forgotten.isEmpty {
            throw Complaint(
                "No page of a catalogue names these folders: " + topics.forgotten.joined(separator: ", "))
        }
        for file in files where file.pathExtension != "md" {
            let copy = catalog.appendingPathComponent(file.lastPathComponent)
            try Data(contentsOf: file.resolvingSymlinksInPath()).write(to: copy)
        }
    }

    /// All modules as one, and behind it what extends the types of others.
    private func merged() throws -> [SymbolGraph] {
        func read(_ folder: String, ofOurTypes: Bool) throws -> [SymbolGraph] {
            try SymbolGraph.all(of: Generator.modules, in: graphs.appendingPathComponent(folder))
                .filter { Generator.modules.contains($0.extended ?? "Headgate") == ofOurTypes }
        }
        var own = try SymbolGraph(of: read("members", ofOurTypes: true), extended: nil)
        // What one of the modules adds to a type of another is a member, and no page says that it extends another module.
        own.changeSymbols { symbol in
            guard let place = symbol.json["swiftExtension"] as? [String: Any] else { return }
            symbol.json["swiftExtension"] = place.merging(["extendedModule": "Headgate"]) { $1 }
        }
        let foreign = try Dictionary(grouping: read("extensions", ofOurTypes: false)) { $0.extended ?? "" }
        return [own] + foreign.sorted { $0.key < $1.key }.map { SymbolGraph(of: $1, extended: $0) }
    }
}
