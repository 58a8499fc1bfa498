@preconcurrency import Glibc
import HeadgateRedis

@main
struct Main {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                print(Arguments.help)
                exit(0)
            }
            if let worker = arguments.worker {
                try await Worker(orders: Orders(arguments.redis ?? ""), name: Bytes(worker)).run()
                exit(0)
            }
            exit(try await run(arguments) ? 0 : 1)
        } catch {
            fputs("fleet: \(error)\n", stderr)
            exit(error is UsageError ? 2 : 1)
        }
    }

    /// Runs the fleet, and leaves no process running.
    ///
    /// - Returns: Whether nothing was lost.
    static func run(_ arguments: Arguments) async throws -> Bool {
        let server = arguments.redis == nil ? try Server() : nil
        do {
            try await server?.start()
            let url = arguments.redis ?? server?.url ?? ""
            let fleet = Fleet(arguments, url, server)
            let stopping = Signals.publisher(for: .interrupt, .terminate).sink { signal in
                Task {
                    fleet.end()
                    await server?.end()
                    exit(128 + signal.number)
                }
            }
            defer { stopping.cancel() }
            let report = try await fleet.run()
            await server?.end()
            await Command.allHaveEnded()
            if isatty(2) != 0 { fputs("\n", stderr) }
            print(fleet.flow.table())
            print(report.text)
            return report.lost == 0 && report.dead == arguments.poison
        } catch {
            await server?.end()
            throw error
        }
    }
}
