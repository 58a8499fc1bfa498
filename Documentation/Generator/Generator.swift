import Foundation
import HeadgateTesting

/// Makes what `docc` builds the site from, and the texts and pictures that are compared with what is in the repository.
///
///     documentation site REPOSITORY GRAPHS OUTPUT    a catalogue and symbol graphs
///     documentation book REPOSITORY WORK SITE [SOURCES]    what docc's site lacks, in its place
///     documentation interface GRAPHS OUTPUT          a text for each module
///     documentation images REPOSITORY OUTPUT         the charts of the README
///     documentation examples REPOSITORY OUTPUT       the sources of a program that runs all examples
@main
struct Generator {
    static let modules = [
        "HeadgateCore", "HeadgateCombine", "Headgate", "HeadgateFoundation", "HeadgateSystem", "HeadgateRedis",
        "HeadgateTesting", "HeadgateTestingTimers",
    ]

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("site", 4):
                try Site(
                    repository: URL(fileURLWithPath: arguments[1]), graphs: URL(fileURLWithPath: arguments[2]),
                    output: URL(fileURLWithPath: arguments[3])
                ).write()
            case ("book", 4), ("book", 5):
                try Book(
                    repository: URL(fileURLWithPath: arguments[1]), work: URL(fileURLWithPath: arguments[2]),
                    site: URL(fileURLWithPath: arguments[3]).resolvingSymlinksInPath(),
                    sources: arguments.count > 4 ? arguments[4] : nil
                ).write()
            case ("interface", 3):
                try writeInterfaces(from: URL(fileURLWithPath: arguments[1]), to: URL(fileURLWithPath: arguments[2]))
            case ("images", 3):
                try writeImages(of: URL(fileURLWithPath: arguments[1]), to: URL(fileURLWithPath: arguments[2]))
            case ("examples", 3):
                try ExampleProgram(repository: URL(fileURLWithPath: arguments[1]))
                    .write(to: URL(fileURLWithPath: arguments[2]))
            default:
                throw Complaint(
                    "documentation site REPOSITORY GRAPHS OUTPUT | book REPOSITORY WORK SITE [SOURCES] | interface GRAPHS OUTPUT "
                        + "| images REPOSITORY OUTPUT | examples REPOSITORY OUTPUT")
            }
        } catch let complaint as Complaint {
            FileHandle.standardError.write(Data("\(complaint)\n".utf8))
            exit(1)
        }
    }

    /// The graphs of a module: its own, and those of what it extends.
    static func graphs(of module: String, in folder: URL) throws -> [(extended: String?, graph: SymbolGraph)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.compactMap { name in
            guard name.hasSuffix(".symbols.json") else { return nil }
            let parts = name.dropLast(".symbols.json".count).split(separator: "@").map(String.init)
            guard parts.first == module else { return nil }
            return (parts.count > 1 ? parts[1] : nil, try SymbolGraph(at: folder.appendingPathComponent(name)))
        }
    }

    private static func writeInterfaces(from folder: URL, to output: URL) throws {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for module in modules {
            let interface = try Interface(of: graphs(of: module, in: folder).map(\.graph))
            let text = interface.lines.map { $0 + "\n" }.joined()
            try text.write(to: output.appendingPathComponent("\(module).txt"), atomically: true, encoding: .utf8)
        }
    }

    private static func writeImages(of repository: URL, to output: URL) throws {
        let results = try String(
            contentsOf: repository.appendingPathComponent("Benchmarks/RESULTS.md"), encoding: .utf8)
        let instructions = try Chart(results: results)
            .svg(title: "Instructions per element", workloads: Chart.overview, ground: .any)
        try instructions.write(to: output.appendingPathComponent("benchmarks.svg"), atomically: true, encoding: .utf8)
        let times = try PeerChart(results: results).svg(workloads: PeerChart.overview, ground: .any)
        try times.write(to: output.appendingPathComponent("peers.svg"), atomically: true, encoding: .utf8)
    }
}
