@preconcurrency import Glibc
import HeadgateSystem
import Synchronization

/// The number of successful jobs, and the others.
struct Summary {
    private(set) var succeeded = 0
    private(set) var others: [(number: Int, line: String)] = []

    mutating func add(_ outcome: Job.Outcome, of job: Job, attempts: Int) {
        if outcome == .succeeded { return succeeded += 1 }
        let count = attempts == 1 ? "" : " after \(attempts) attempts"
        others.append((job.number, "-- \(job.number) \(outcome)\(count): \(job.text)"))
    }

    var text: String {
        let lines = others.sorted { $0.number < $1.number }.map(\.line)
        return (["-- \(succeeded) succeeded, \(others.count) did not"] + lines).joined(separator: "\n")
    }
}

@main
struct RunMany {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                let result = await Just(Arguments.help).write(to: .standardOutput, terminator: "\n")
                exit(result?.isComplete ?? false ? 0 : 1)
            }
            exit(await run(arguments))
        } catch {
            fputs("runmany: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        }
    }

    /// Runs everything, and leaves no process running, whatever ends it.
    ///
    /// - Returns: The status to exit with.
    static func run(_ arguments: Arguments) async -> Int32 {
        let signal = Mutex<Signal?>(nil)
        let summary = Mutex(Summary())
        let shutdown = GracefulShutdown(
            on: Signals.publisher(for: .interrupt, .terminate, .hangUp)
                .handleEvents(receiveOutput: { first in signal.withLock { $0 = $0 ?? first } }),
            deadline: .seconds(arguments.grace + 5))

        // A slow reader of the output slows the commands; the number that run is limited.
        let output = arguments.input.bytes()
            .stopped(by: shutdown.stop)
            .lines()
            .filter { !$0.allSatisfy(\.isWhitespace) }
            .scan((0, "")) { ($0.0 + 1, $1) }
            .flatMap(maxPublishers: .max(arguments.mostAtOnce)) { number, text in
                let job = Job(number: number, text: text, arguments: arguments, stop: shutdown.stop)
                return job.events
                    .compactMap { event -> String? in
                        switch event {
                        case .line(let line): return "\(job.number): \(line)"
                        case .ended(let outcome, let attempts):
                            summary.withLock { $0.add(outcome, of: job, attempts: attempts) }
                            return nil
                        }
                    }
                    .setFailureType(to: SystemError.self)
            }
            .append(Deferred { Just(summary.withLock { $0.text }).setFailureType(to: SystemError.self) })

        let writing = Task { await output.write(to: .standardOutput, terminator: "\n") }
        let cuttingOff = shutdown.cutOff.publisher.sink(receiveValue: writing.cancel)
        let result = await writing.value
        cuttingOff.cancel()
        await Command.allHaveEnded()

        if let signal = signal.withLock({ $0 }) { return 128 + signal.number }
        switch result {
        case .finished: return summary.withLock { $0.others.isEmpty } ? 0 : 1
        // A reader that has stopped needs no message.
        case .readerClosed, nil: return 1
        case .failed(let error, _), .upstreamFailed(let error, _): fputs("runmany: \(error)\n", stderr)
        }
        return 1
    }
}
