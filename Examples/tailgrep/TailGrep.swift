import Dispatch
@preconcurrency import Glibc
import HeadgateSystem
import Synchronization

/// The events that make up the output.
enum Event {
    case match(String)
    case windowIsOver
    case end
}

/// The number of matches, in the current window and in total.
struct Count {
    var inWindow = 0
    var total = 0
    /// The text to print now.
    var text: String?

    func after(_ event: Event, _ arguments: Arguments) -> Count {
        var next = self
        next.text = nil
        switch event {
        case .match(let line):
            next.inWindow += 1
            next.total += 1
            if !arguments.printsOnlyNumbers { next.text = line }
        case .windowIsOver:
            next.text = "-- \(inWindow) in \(arguments.window) s"
            next.inWindow = 0
        case .end:
            next.text = "-- \(total) in all"
        }
        return next
    }
}

/// A regular expression that was made from text.
// `Regex` is not Sendable because it may contain closures. One that is made from text contains none.
struct Pattern: @unchecked Sendable {
    private let regex: Regex<AnyRegexOutput>

    init(_ text: String) throws { regex = try Regex(text) }

    func matches(_ line: String) -> Bool { line.firstMatch(of: regex) != nil }
}

@main
struct TailGrep {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                exit(status(await Just(Arguments.help).write(to: .standardOutput, terminator: "\n")))
            }
            guard let pattern = try? Pattern(arguments.pattern) else {
                throw UsageError("\(arguments.pattern) is not a regular expression")
            }
            if let state = arguments.state { exit(await resume(arguments, pattern, from: File(state))) }
            exit(await run(arguments, pattern))
        } catch {
            fputs("tailgrep: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        }
    }

    /// Follows the file until Ctrl-C, or until there were enough matches.
    static func run(_ arguments: Arguments, _ pattern: Pattern) async -> Int32 {
        let matches = File(arguments.path).follow(from: arguments.startsAtBeginning ? .beginning : .end)
            .lines(longLines: .cut)
            .filter { pattern.matches($0) }
            .prefix(arguments.most)
            .prefix(untilOutputFrom: Signals.publisher(for: .interrupt))
            .map(Event.match)
            .append(Event.end)

        let ticks = Publishers.timer(interval: .seconds(arguments.window))
            .map { _ in Event.windowIsOver }
            .setFailureType(to: SystemError.self)

        // A slow reader of the output slows the reading of the file.
        let output =
            matches.map(Optional.some).append(nil)
            .merge(with: ticks.map(Optional.some))
            .prefix { $0 != nil }
            .scan(Count()) { count, event in event.map { count.after($0, arguments) } ?? count }
            .compactMap(\.text)

        return status(await output.write(to: .standardOutput, terminator: "\n"))
    }

    /// The status to exit with; prints the failure, if there is one.
    static func status<Failure: Error>(_ result: Written<Failure>?) -> Int32 {
        switch result {
        case .finished: return 0
        // A reader that has stopped needs no message.
        case .readerClosed, nil: return 1
        case .failed(let error, _): fputs("tailgrep: \(error)\n", stderr)
        case .upstreamFailed(let error, _): fputs("tailgrep: \(error)\n", stderr)
        }
        return 1
    }
}
