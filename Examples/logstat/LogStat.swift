import Dispatch
@preconcurrency import Glibc
import HeadgateSystem
import Synchronization
import Terminal

/// The summary while it is built.
// Values are delivered serially, and it is read after the end; hence unchecked, which saves a tenth of the time.
private final class Tally: @unchecked Sendable {
    @exclusivity(unchecked) var summary: Summary
    var failure: SystemError?

    init(window size: WindowSize) { summary = Summary(window: size) }
}

@main
struct LogStat {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { exit(show(Arguments.help + "\n") ? 0 : 1) }
            exit(run(arguments))
        } catch {
            complain("\(error)\n\(Arguments.help)")
            exit(2)
        }
    }

    /// Reads the file, and prints the summary.
    ///
    /// - Returns: The status to exit with.
    static func run(_ arguments: Arguments) -> Int32 {
        let tally = Tally(window: arguments.window)
        let bar = arguments.showsFlow ? nil : ProgressBar(length: arguments.input.length)
        let flow = Flow("logstat")
        let display = arguments.showsFlow ? flow.live(to: .flowDisplay) : nil
        let isInterrupted = Atomic(false)
        let interrupts = Signals.publisher(for: .interrupt)
            .handleEvents(receiveOutput: { _ in isInterrupted.store(true, ordering: .relaxed) })
        let bytesRead = PassthroughSubject<Int, Never>()
        let hasEnded = DispatchSemaphore(value: 0)

        let progress =
            bytesRead
            .scan(0, +)
            .throttle(for: .milliseconds(100), scheduler: DispatchQueue(label: "progress"), latest: true)
            .sink { bar?.draw(bytesRead: $0) }

        // Read on demand: there is never more in memory than a chunk and the beginning of a line.
        let lines = arguments.input.file.bytes()
            .stage("read", in: flow)
            .handleEvents(receiveOutput: { bytesRead.send($0.count) })
            .prefix(untilOutputFrom: interrupts)
            .byteLines(maximumLength: Line.longest + 1, longLines: .cut)
        func count(_ lines: some Publisher<Bytes, SystemError>) -> AnyCancellable {
            lines.sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { tally.failure = error }
                    hasEnded.signal()
                },
                receiveValue: { tally.summary.add(Line($0)) })
        }
        // A stage for every line takes time, too, so it is there only if somebody looks at it.
        let reading = arguments.showsFlow ? count(lines.stage("split", in: flow)) : count(lines)

        hasEnded.wait()
        withExtendedLifetime(reading) {}
        progress.cancel()
        bar?.clear()
        display?.cancel()

        let (summary, failure) = (tally.summary, tally.failure)
        if let failure, summary.lines == 0 { return complain(failure.message) }
        guard show(summary.text) else { return 1 }
        if let failure { return complain(failure.message) }
        return isInterrupted.load(ordering: .relaxed) ? 130 : 0
    }

    /// Prints a text.
    ///
    /// - Returns: Whether it could be written; if not, the reason has been reported.
    static func show(_ text: String) -> Bool {
        let result = Mutex<Written<Never>?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Just(text).write(to: .standardOutput, terminator: "") { end in
            result.withLock { $0 = end }
            hasEnded.signal()
        }
        hasEnded.wait()
        switch result.withLock({ $0 }) {
        case .finished: return true
        // A reader that has stopped needs no message.
        case .failed(let error, _): complain(error.message)
        default: break
        }
        return false
    }

    @discardableResult static func complain(_ message: String) -> Int32 {
        fputs("logstat: \(message)\n", stderr)
        return 1
    }
}

extension SystemError {
    var message: String { "\(subject ?? call): \(reason)" }
}
