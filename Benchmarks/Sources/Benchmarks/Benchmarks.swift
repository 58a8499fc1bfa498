import Glibc

/// The command line.
///
/// ```
/// Benchmarks [NAME...]              times all workloads, or those named, against what is written by hand
/// Benchmarks list                   name, reach, element, kind (threads, addition or exact) and lookups, separated by tabs
/// Benchmarks count FEW MANY NAME...  runs workloads and what is written by hand, for an instruction counter
/// Benchmarks run NAME COUNT         runs one workload once
/// Benchmarks baseline NAME COUNT    runs what is written by hand once
/// Benchmarks run turns             what senders, subscribers and sinks on several threads do to each other
/// Benchmarks run waiting           what senders that wait for their turn cost, and how long they are held
/// Benchmarks run alarms             bytes of streams that wait for a time, and what a tick costs
/// Benchmarks run memory             bytes of live subscriptions with several upstreams or subscribers
/// Benchmarks growth                 the names of the cases of growth
/// Benchmarks growth COUNT [NAME...]  runs all cases once, or those named
/// Benchmarks memory                 name, element, bytes and reach of what is alive and idle, separated by tabs
/// ```
@main
enum Benchmarks {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("list", 1):
            for workload in Workload.all {
                let kind = workload.isThreaded ? "threads" : workload.isAddition ? "addition" : "exact"
                print(
                    workload.name, workload.reach, workload.element, kind, workload.lookups, separator: "\t")
            }
        case ("memory", 1):
            print("memory", "live subscription, bytes", Memory.bytesOfOneSubscription, Memory.reach, separator: "\t")
            for (name, reach, make) in Memory.idle {
                print("memory-\(name)", "idle, bytes", Memory.bytes(of: make), reach, separator: "\t")
            }
        case ("growth", 1):
            for growth in Growth.all { print(growth.name) }
        case ("growth", 2...):
            let cases = Growth.all.filter { arguments.count == 2 || arguments[2...].contains($0.name) }
            Growth.run(cases, count(arguments[1]))
            print(Opaque.result)
        case ("count", 4...):
            let few = count(arguments[1])
            let many = count(arguments[2])
            for workload in arguments[3...].map(workload) { workload.count(few, many) }
            print(Opaque.result)
        case ("run", 2) where arguments[1] == "turns":
            Turns.printTable()
        case ("run", 2) where arguments[1] == "waiting":
            Waiting.printTable()
        case ("run", 2) where arguments[1] == "alarms":
            Alarms.report()
        case ("run", 2) where arguments[1] == "memory":
            Memory.report()
        case ("run", 3):
            workload(arguments[1]).run(count(arguments[2]))
            print(Opaque.result)
        case ("baseline", 3):
            workload(arguments[1]).baseline(count(arguments[2]))
            print(Opaque.result)
        case (nil, _):
            Stopwatch.printTable(of: Workload.all)
            print("\nOne live subscription: \(Memory.bytesOfOneSubscription) bytes")
            print("Cancelling one of 20,000 subscribers: \(Crowd.nanosecondsToCancelOne) ns")
        default:
            Stopwatch.printTable(of: arguments.map(workload))
        }
    }

    private static func workload(_ name: String) -> Workload {
        guard let workload = Workload.named(name) else { stop("There is no workload \"\(name)\"; see \"list\".") }
        return workload
    }

    private static func count(_ text: String) -> Int {
        guard let count = Int(text), count >= 0 else { stop("\"\(text)\" is not a number of elements.") }
        return count
    }

    private static func stop(_ message: String) -> Never {
        print(message)
        exit(2)
    }
}
