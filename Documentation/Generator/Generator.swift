import Foundation

/// Makes what `docc` builds the site from, and the texts that are compared with what is in the repository.
///
///     documentation site REPOSITORY GRAPHS OUTPUT    a catalogue and symbol graphs
///     documentation interface GRAPHS OUTPUT          a text for each module
///     documentation played                           runs of the operators that can be played on their pages
///     documentation examples REPOSITORY OUTPUT       the sources of a program that runs all examples
@main
struct Generator {
    static let modules = [
        "HeadgateCore", "HeadgateCombine", "Headgate", "HeadgateControls", "HeadgateFlow", "HeadgateFoundation",
        "HeadgateSystem", "HeadgateRedis", "HeadgateTesting", "HeadgateTestingTimers", "HeadgateVerification",
    ]

    static func main() throws {
        let command = CommandLine.arguments.dropFirst().first
        let paths = CommandLine.arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }
        do {
            switch (command, paths.count) {
            case ("site", 3): try Site(repository: paths[0], graphs: paths[1], output: paths[2]).write()
            case ("interface", 2): try writeInterfaces(from: paths[0], to: paths[1])
            case ("played", 0): print(String(decoding: try PlayedOperator.json(), as: UTF8.self))
            case ("examples", 2): try ExampleProgram(repository: paths[0]).write(to: paths[1])
            default: throw Complaint("documentation site | interface | played | examples: see Generator.swift.")
            }
        } catch let complaint as Complaint {
            FileHandle.standardError.write(Data("\(complaint)\n".utf8))
            exit(1)
        }
    }

    private static func writeInterfaces(from folder: URL, to output: URL) throws {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        for module in modules {
            let interface = try Interface(of: SymbolGraph.all(of: [module], in: folder))
            try interface.lines.map { $0 + "\n" }.joined().write(to: output.appendingPathComponent("\(module).txt"))
        }
    }
}

extension URL {
    /// The name of the file without its extension.
    var stem: String { deletingPathExtension().lastPathComponent }

    /// Whether it is a symbolic link.
    var isLink: Bool { (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil }

    func text() throws -> String { try String(contentsOf: self, encoding: .utf8) }
}

extension String {
    func write(to url: URL) throws { try write(to: url, atomically: false, encoding: .utf8) }
}

/// What keeps the pages from being made.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
