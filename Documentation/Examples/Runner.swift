@preconcurrency import Foundation
import Synchronization

/// An example, and what it has to print.
struct Example: Sendable {
    enum Body: Sendable {
        case call(@Sendable () throws -> Void)
        case task(@Sendable () async throws -> Void)
    }

    let place: String
    let output: [String]
    let body: Body

    init(_ file: String, line: Int, prints output: [String], _ body: Body) {
        place = "\(file):\(line)"
        self.output = output
        self.body = body
    }
}

/// What the example that runs has printed: its standard output is a file.
struct Output: Sendable {
    private struct State {
        var expected = 0
        var printed: [String]?
    }

    private static let state = Mutex(State())

    /// Opens the file, in the place of the standard output, and returns a descriptor of that.
    static func redirect() -> Int32 {
        let terminal = dup(1)
        let file = open("output.txt", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        dup2(file, 1)
        setvbuf(stdout, nil, _IOLBF, 0)
        return terminal
    }

    static func begin(_ example: Example) {
        fflush(stdout)
        ftruncate(1, 0)
        state.withLock { $0 = State(expected: example.output.count) }
    }

    /// What has been printed so far.
    static var lines: [String] {
        fflush(stdout)
        var bytes = [UInt8](repeating: 0, count: Int(lseek(1, 0, SEEK_END)))
        let count = pread(1, &bytes, bytes.count, 0)
        var lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() }
        // The types of an example are those of an enumeration, which its text does not know.
        return lines.map { $0.replacing(/Example[0-9]+\./, with: "") }
    }

    static var isComplete: Bool { lines.count >= state.withLock(\.expected) }

    /// Keeps what has been printed: what is printed later, when the example releases everything, does not count.
    static func keep() {
        let lines = Self.lines
        state.withLock { if $0.printed == nil { $0.printed = lines } }
    }

    static var kept: [String] { state.withLock(\.printed) ?? lines }
}

/// How long an example may take to print what it promises.
private let timeout: TimeInterval = 20

/// Returns when the example has printed as many lines as it promises.
///
/// The main queue and the main run loop go on meanwhile.
func waitForOutput() {
    let end = Date() + timeout
    while !Output.isComplete, Date() < end { turnMainLoop() }
    Output.keep()
}

/// Returns when the example has printed as many lines as it promises.
func waitForOutput() async {
    let end = Date() + timeout
    while !Output.isComplete, Date() < end { try? await Task.sleep(for: .milliseconds(1)) }
    Output.keep()
}

private func turnMainLoop() {
    RunLoop.main.run(until: Date())
    usleep(500)
}

@main
enum Runner {
    private static let hasEnded = Mutex<(isOver: Bool, error: (any Error)?)>((false, nil))

    /// Runs all examples, or those of files whose names contain the argument.
    static func main() {
        let terminal = Output.redirect()
        var failures = 0
        let chosen = CommandLine.arguments.dropFirst().first
        let examples = allExamples.filter { chosen.map($0.place.contains) ?? true }
        for example in examples {
            // For who wants to know where a program has ended that ends early.
            try? example.place.write(toFile: "current.txt", atomically: false, encoding: .utf8)
            Output.begin(example)
            let error = run(example)
            let found = Output.kept
            if let error { report("\(example.place): error: threw \(error)", to: terminal) }
            if error != nil || !matches(found, example.output) {
                failures += 1
                report(
                    """
                    \(example.place): error: this example does not print what it says.
                      expected: \(example.output.joined(separator: "\n            "))
                      found:    \(found.joined(separator: "\n            "))
                    """, to: terminal)
            }
        }
        report("\(examples.count) examples have run, \(failures) failed.", to: terminal)
        exit(failures == 0 ? 0 : 1)
    }

    /// Returns the error that the example has thrown.
    private static func run(_ example: Example) -> (any Error)? {
        switch example.body {
        case .call(let body):
            do { try body() } catch { return error }
            return nil
        case .task(let body):
            hasEnded.withLock { $0 = (false, nil) }
            Task {
                var thrown: (any Error)?
                do { try await body() } catch { thrown = error }
                hasEnded.withLock { [thrown] in $0 = (true, thrown) }
            }
            let end = Date() + 2 * timeout
            while true {
                if let error = hasEnded.withLock({ $0.isOver ? .some($0.error) : nil }) { return error }
                if Date() > end { return Unending() }
                turnMainLoop()
            }
        }
    }

    private struct Unending: Error {}

    private static func report(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}

/// Whether lines are those that are expected, where `…` stands for any text.
func matches(_ lines: [String], _ patterns: [String]) -> Bool {
    guard lines.count == patterns.count else { return false }
    return zip(lines, patterns).allSatisfy { line, pattern in
        let parts = pattern.components(separatedBy: "…")
        guard parts.count > 1 else { return line == pattern }
        guard line.hasPrefix(parts[0]) else { return false }
        var rest = line.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}
