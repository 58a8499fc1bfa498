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
        let symbols = own.symbols.map(Symbol.init)
        let foreignSymbols = foreign.flatMap { module, graph in
            graph.symbols.map { (module: module, symbol: Symbol(json: $0)) }
        }
        try Places(of: symbols + foreignSymbols.map(\.symbol)).write(to: output.appendingPathComponent("places.json"))
        let index = SymbolIndex(symbols: symbols, foreign: foreignSymbols)

        var comments = DocumentationComments(index: index)
        var graphs = [own] + foreign.map(\.graph)
        comments.rewrite(&graphs)
        for (graph, extended) in zip(graphs, [nil] + foreign.map { Optional($0.module) }) {
            let name = extended.map { "Headgate@\($0)" } ?? "Headgate"
            try graph.write(to: symbolGraphs.appendingPathComponent("\(name).symbols.json"))
        }
        if !comments.missing.isEmpty {
            throw Complaint("These operators have no time-line:\n" + comments.missing.joined(separator: "\n"))
        }
        for (name, picture) in comments.pictures {
            try write(picture.svg(on: .light) + "\n", to: "\(name).svg")
            try write(picture.svg(on: .dark) + "\n", to: "\(name)~dark.svg")
        }
        try writePages(index: index, symbols: symbols)
        print("\(symbols.count) symbols, \(comments.pictures.count) pictures of time-lines")
    }

    private func writePages(index: SymbolIndex, symbols: [Symbol]) throws {
        var topics = TopicPages(index: index, symbols: symbols)
        for page in try catalogueFiles() {
            if page.pathExtension == "md" {
                let text = try topics.fill(String(contentsOf: page, encoding: .utf8))
                try write(Links(index: index).added(toPage: text), to: page.lastPathComponent)
            } else {
                try FileManager.default.copyItem(at: page, to: catalog.appendingPathComponent(page.lastPathComponent))
            }
        }
        if !topics.forgotten.isEmpty {
            throw Complaint(
                "No page of a catalogue names these folders: " + topics.forgotten.joined(separator: ", "))
        }
        try Articles(repository: repository, index: index).write(to: catalog)
        let images = repository.appendingPathComponent("Documentation/Images").resolvingSymlinksInPath()
        for image in try FileManager.default.contentsOfDirectory(at: images, includingPropertiesForKeys: nil) {
            try FileManager.default.copyItem(at: image, to: catalog.appendingPathComponent(image.lastPathComponent))
        }
        try writeCharts()
    }

    /// Pages that are made of figures: of the benchmarks, and of what the verifier has found.
    private func writeCharts() throws {
        let chart = try Chart(results: read("Benchmarks/RESULTS.md"))
        var page = """
            # Charts

            Instruction counts of `Benchmarks/instructions`, for Headgate and for hand-written code.

            The figures are those of <doc:Results>, which explains how they are counted. Hand-written code is a plain loop, or a
            list of closures in place of a subject, without demand, cancellation, completion or thread safety.

            """
        for group in Chart.groups {
            for (ground, suffix) in [(TimeLinePicture.Ground.light, ""), (.dark, "~dark")] {
                let svg = try chart.svg(title: group.title, workloads: group.workloads, ground: ground)
                try write(svg, to: "\(group.name)\(suffix).svg")
            }
            page +=
                "\n## \(group.title)\n\n![A bar for Headgate and a bar for the plain loop, for each workload.](\(group.name))\n"
        }
        try write(page, to: "Charts.md")

        let table = try read("Tests/HeadgateConformance/expected/table.txt").components(separatedBy: "\n").dropFirst()
        try write(Self.conformancePage(of: Array(table)), to: "Conformance.md")
    }

    /// The page of the verifier's results: a section for each family, with its part of the printed table.
    ///
    /// `Documentation/Book/conformance.js` makes tables of the listings, with the signs that the page explains.
    static func conformancePage(of table: [String]) -> String {
        let sections = table.split(whereSeparator: \.isEmpty).map { family -> String in
            let title = family[family.startIndex].components(separatedBy: "  ")[0].trimmed
            return "## \(title)\n\n```\n\(family.joined(separator: "\n"))\n```\n"
        }
        return """
            # Conformance

            The rules of the contract that each publisher, operator and subject satisfies, as verified by `HeadgateTesting`.

            A row for each subject, a column for each rule of <doc:Contract>. In a column, `+` means that the rule holds and
            something could have broken it, `.` that it does not apply, `?` that it can't be checked from outside, and `#` that
            it is broken. The tables are the output of `swift run -c release HeadgateConformance`; CI compares the two.

            \(sections.joined(separator: "\n"))
            """
    }

    /// What stands in the catalogues of all modules.
    private func catalogueFiles() throws -> [URL] {
        let sources = repository.appendingPathComponent("Sources")
        return try Generator.modules.flatMap { module -> [URL] in
            let folder = sources.appendingPathComponent("\(module)/\(module).docc")
            guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        }.sorted { $0.path < $1.path }
    }

    /// All modules as one, and what extends the types of others.
    private func merged() throws -> (own: SymbolGraph, foreign: [(module: String, graph: SymbolGraph)]) {
        var own: SymbolGraph?
        var foreign: [String: SymbolGraph] = [:]
        for module in Generator.modules {
            for (extended, graph) in try Generator.graphs(of: module, in: graphs.appendingPathComponent("members"))
            where extended.map(Generator.modules.contains) ?? true {
                if own == nil { own = graph } else { own?.absorb(graph) }
            }
            for (extended, graph) in try Generator.graphs(of: module, in: graphs.appendingPathComponent("extensions")) {
                guard let extended, !Generator.modules.contains(extended) else { continue }
                foreign[extended]?.absorb(graph)
                if foreign[extended] == nil { foreign[extended] = graph }
            }
        }
        guard var own else { throw Complaint("There are no symbol graphs in \(graphs.path).") }
        own.name(module: "Headgate")
        for module in foreign.keys { foreign[module]?.name(module: "Headgate") }
        return (own, foreign.sorted { $0.key < $1.key }.map { (module: $0.key, graph: $0.value) })
    }

    private func read(_ path: String) throws -> String {
        try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(to: catalog.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
}
