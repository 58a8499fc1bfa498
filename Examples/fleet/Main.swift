@preconcurrency import Glibc
import HeadgateRedis
import Terminal

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
                let orders = Orders(arguments.redis ?? "", ledger: arguments.ledger)
                if arguments.partitions > 0 {
                    // A name of its own for each process: that of one that was killed is in use until its leases end.
                    let name = Bytes("\(worker)-\(getpid())")
                    try await PartitionWorker(orders: orders, name: name, count: arguments.partitions).run()
                } else {
                    try await Worker(orders: orders, name: Bytes(worker)).run()
                }
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
        let replicated = arguments.failover > 0 ? try ReplicatedServers() : nil
        @Sendable func end() async {
            // Their folders are removed when no process of this one is left.
            replicated?.kill()
            await server?.end()
            await replicated?.end()
        }
        let fleet = Fleet(arguments, arguments.redis ?? server?.url ?? "", server, replicated)
        do {
            let stopping = Signals.publisher(for: .interrupt, .terminate).sink { signal in
                Task {
                    fleet.end()
                    await end()
                    exit(128 + signal.number)
                }
            }
            defer { stopping.cancel() }
            try await server?.start()
            try await replicated?.start()
            let report = try await fleet.run()
            await end()
            await Command.allHaveEnded()
            if isatty(2) != 0 { fputs("\n", stderr) }
            fleet.flow.printTable()
            print(report.text(arguments.partitions > 0))
            return report.lost == 0 && report.withoutWork == 0 && report.dead == arguments.poison
        } catch {
            await end()
            throw error
        }
    }
}
