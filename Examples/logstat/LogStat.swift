import Dispatch
import Foundation
import Headgate
import Synchronization

/// A line and what it says.
struct ParsedLine {
    var request: Request?
    var byteCount: Int
    var isIntact: Bool

    init(_ line: Line) {
        request = Request(line.text)
        byteCount = line.byteCount
        isIntact = line.isIntact
    }
}

@main
struct LogStat {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return print(Arguments.help) }
            run(try open(arguments.input), window: arguments.window)
        } catch let error as UsageError {
            fail("\(error)\n\(Arguments.help)", status: 2)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    static func open(_ input: Arguments.Input) throws -> InputFile {
        switch input {
        case .standardInput: .standardInput
        case .file(let path): try InputFile(path: path)
        case .sample: try InputFile(path: Bundle.module.path(forResource: "sample", ofType: "log") ?? "sample.log")
        }
    }

    /// Reads the file, shares its lines between three consumers, and prints what they have learnt.
    static func run(_ file: InputFile, window: WindowSize) {
        var summary = Summary()
        let bar = ProgressBar(length: file.length)
        let interrupts = Interrupts()

        // The lines are read as the consumers below take them; nothing is kept but a buffer.
        let lines = Lines(file: file).publisher
            .tryMap { try $0.get() }
            .prefix(untilOutputFrom: interrupts.publisher)
            .map(ParsedLine.init)
            .multicast(subject: PassthroughSubject<ParsedLine, any Error>())

        let progress =
            lines
            .scan(0) { $0 + $1.byteCount }
            .throttle(for: .milliseconds(100), scheduler: DispatchQueue(label: "progress"), latest: true)
            .sink(receiveCompletion: { _ in }, receiveValue: bar.draw)

        let windows =
            lines
            .compactMap(\.request)
            .windows(of: window)
            .sink(receiveCompletion: { _ in }, receiveValue: { summary.add($0) })

        let totals =
            lines
            .sink(
                receiveCompletion: { completion in
                    progress.cancel()
                    bar.clear()
                    if case .failure(let error) = completion, summary.lines == 0 { fail("\(error)", status: 1) }
                    print(summary.text(window: window), terminator: "")
                    if case .failure(let error) = completion { fail("\(error)", status: 1) }
                    // The reading thread may be waiting for input that never comes.
                    if interrupts.haveCome.load(ordering: .relaxed) { exit(130) }
                },
                receiveValue: { summary.add($0) })

        let reading = lines.connect()
        withExtendedLifetime((progress, windows, totals, reading)) {}
    }

    static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("logstat: \(message)\n".utf8))
        exit(status)
    }
}
