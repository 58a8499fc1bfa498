import Dispatch
@preconcurrency import Glibc
import HeadgateSystem
import Terminal

/// The result of a batch.
struct Report: Sendable {
    var lines: Int
    var written: Int
    var bad: [Reading]
}

@main
struct ETL {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return print(Arguments.help) }
            try await run(arguments)
        } catch let error as UsageError {
            fputs("etl: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        } catch {
            fputs("etl: \(error)\n", stderr)
            exit(1)
        }
    }

    static func run(_ arguments: Arguments) async throws {
        let warehouse = Warehouse(pause: .milliseconds(arguments.pause))
        let flow = Flow("etl")
        // Batches that are reported on the same terminal would be drawn over.
        let isQuiet = arguments.isQuiet || arguments.showsFlow && isatty(STDOUT_FILENO) == 1
        let display = arguments.showsFlow ? flow.live(to: isQuiet ? .flowDisplay : .standardError) : nil
        var total = Report(lines: 0, written: 0, bad: [])

        try await File.standardInput.bytes()
            .byteLines()
            .stage("read", in: flow)
            .numbered()
            .map { Reading($0.line, number: $0.number) }
            .upTo(badLines: arguments.badLines)
            .stage("parsed", in: flow)
            .collect(.byTimeOrCount(DispatchQueue(label: "batches"), .milliseconds(100), 500))
            .stage("batched", in: flow)
            .asyncMap(maxConcurrent: arguments.writers) { readings in
                let written = await warehouse.write(readings.compactMap(\.order))
                return Report(lines: readings.count, written: written, bad: readings.filter { $0.order == nil })
            }
            .stage("written", in: flow)
            .forEach { report in
                total.lines += report.lines
                total.written += report.written
                total.bad += report.bad
                if !isQuiet { print("lines to \(total.lines): \(report.written) written") }
            }

        display?.cancel()
        for case .bad(let line, let reason) in total.bad.prefix(3) { print("line \(line): \(reason)") }
        if total.bad.count > 3 { print("and \(total.bad.count - 3) more bad lines") }
        print("read \(total.lines) lines, wrote \(total.written) orders of \(await warehouse.cents) cents")
        let isTooMany = total.bad.count >= arguments.badLines
        if isTooMany { print("stopped after \(total.bad.count) bad lines") }
        exit(isTooMany ? 1 : 0)
    }
}

extension Reading {
    /// The order, if the line was one.
    var order: Order? { if case .order(let order) = self { order } else { nil } }
}

// Two operators of this program's own.
extension Publisher {
    /// The values, counted from one.
    fileprivate func numbered() -> some Publisher<(number: Int, line: Output), Failure> {
        step(state: 0) { count, line -> (number: Int, line: Output)? in
            count += 1
            return (count, line)
        }
    }
}

extension Publisher where Output == Reading {
    /// The readings up to and including a number of bad ones.
    fileprivate func upTo(badLines limit: Int) -> some Publisher<Reading, Failure> {
        step(state: 0) { bad, reading -> Publishers.StepResult<Reading, Failure> in
            if reading.order == nil { bad += 1 }
            return bad < limit ? .next(reading) : .last(reading)
        }
    }
}
