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
        let (own, foreign) = try merged()
        let symbols = own.symbols
        let index = SymbolIndex(
            symbols: symbols,
            foreign: foreign.flatMap { module, graph in
                graph.symbols.map { (module: module, symbol: $0) }
            })

        var comments = DocumentationComments(index: index)
        var graphs = [own] + foreign.map(\.graph)
        comments.rewrite(&graphs)
        for (graph, extended) in zip(graphs, [""] + foreign.map { "@\($0.module)" }) {
            try graph.write(to: symbolGraphs.appendingPathComponent("Headgate\(extended).symbols.json"))
        }
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

    /// All modules as one, and what extends the types of others.
    private func merged() throws -> (own: SymbolGraph, foreign: [(module: String, graph: SymbolGraph)]) {
        let members = try allGraphs(in: "members").filter { $0.extended.map(Generator.modules.contains) ?? true }
        let extensions = try allGraphs(in: "extensions").filter {
            !Generator.modules.contains($0.extended ?? "Headgate")
        }
        guard var own = SymbolGraph(of: members.map(\.graph)) else {
            throw Complaint("There are no symbol graphs in \(graphs.path).")
        }
        // What one of the modules adds to a type of another is a member, and no page says that it extends another module.
        own.symbols = own.symbols.map { symbol in
            guard var place = symbol.json["swiftExtension"] as? [String: Any] else { return symbol }
            place["extendedModule"] = "Headgate"
            return Symbol(json: symbol.json.merging(["swiftExtension": place]) { $1 })
        }
        let foreign = Dictionary(grouping: extensions) { $0.extended ?? "" }.sorted { $0.key < $1.key }
        return (own, foreign.compactMap { name, graphs in SymbolGraph(of: graphs.map(\.graph)).map { (name, $0) } })
    }

    private func allGraphs(in folder: String) throws -> [(extended: String?, graph: SymbolGraph)] {
        try Generator.modules.flatMap { try Generator.graphs(of: $0, in: graphs.appendingPathComponent(folder)) }
    }
}
