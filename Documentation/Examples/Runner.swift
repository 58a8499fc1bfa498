@preconcurrency import Foundation

/// An example, and what it has to print.
struct Example: Sendable {
    let place: String
    let output: [String]

    /// What is no function of another actor runs on the main thread.
    let run: @MainActor @Sendable () async throws -> Kept
}

/// What an example keeps until it has printed everything.
struct Kept: @unchecked Sendable {
    let values: Any

    init<each Value>(_ values: repeat each Value) { self.values = (repeat each values) }
}

/// What the example that runs has printed: the standard output is a file.
///
/// What the runner says is written to the standard error.
enum Output {
    /// Begins anew.
    static func clear() {
        fflush(stdout)
        freopen("output.txt", "w", stdout)
        setvbuf(stdout, nil, _IOLBF, 0)
    }

    /// What has been printed so far.
    static var lines: [String] {
        fflush(stdout)
        let text = (try? String(contentsOfFile: "output.txt", encoding: .utf8)) ?? ""
        var lines = text.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() }
        // The types of an example are those of an enumeration, which its text does not know.
        return lines.map { $0.replacing(/Example[0-9]+\./, with: "") }
    }
}

@main
@MainActor
enum Runner {
    /// How the example that runs has ended, if it has.
    private static var result: Result<Kept, any Error>?

    /// Runs all examples, or those of files whose names contain the argument.
    static func main() {
        var failures = 0
        let chosen = CommandLine.arguments.dropFirst().first
        let examples = allExamples.filter { chosen.map($0.place.contains) ?? true }
        for example in examples {
            // For who wants to know where a program has ended that ends early.
            try? example.place.write(toFile: "current.txt", atomically: false, encoding: .utf8)
            let found = printed(by: example)
            let error: String? =
                switch result {
                case .success: matches(found, example.output) ? nil : "this example does not print what it says."
                case .failure(let error): "threw \(error)"
                case nil: "does not end."
                }
            // What is printed when the example releases everything does not count.
            result = nil
            guard let error else { continue }
            failures += 1
            let report = """
                \(example.place): error: \(error)
                  expected: \(example.output.joined(separator: "\n            "))
                  found:    \(found.joined(separator: "\n            "))

                """
            write(report)
        }
        write("\(examples.count) examples have run, \(failures) failed.\n")
        exit(failures == 0 ? 0 : 1)
    }

    /// Runs an example until it has ended and printed as many lines as it promises; the main queue and the main run loop go on meanwhile.
    private static func printed(by example: Example) -> [String] {
        Output.clear()
        Task {
            do { result = .success(try await example.run()) } catch { result = .failure(error) }
        }
        let end = Date() + 40
        while Date() < end {
            RunLoop.main.run(until: Date())
            if case .failure = result { break }
            if result != nil, Output.lines.count >= example.output.count { break }
            usleep(500)
        }
        return Output.lines
    }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// Whether lines are those that are expected, where `…` stands for any text.
func matches(_ lines: [String], _ patterns: [String]) -> Bool {
    let parts = patterns.joined(separator: "\n").components(separatedBy: "…")
    let expression = parts.map(NSRegularExpression.escapedPattern).joined(separator: ".*")
    return lines.joined(separator: "\n").range(of: "\\A\(expression)\\z", options: .regularExpression) != nil
}
