import Dispatch
import Glibc
import HeadgateSystem

/// The command line.
///
/// ```
/// SystemBenchmarks make FILE MIB       makes a file of log lines
/// SystemBenchmarks WORKLOAD FILE       runs one workload once: what it counted, its time, and its memory
/// SystemBenchmarks echo-server hand|headgate CLIENTS
///                                      prints its port, echoes until so many clients have gone, prints its CPU time
/// SystemBenchmarks echo-load PORT CLIENTS MESSAGES
///                                      so many threads, each of which has so many messages of 64 KiB echoed
/// SystemBenchmarks ticker RATE MS      serves what the example `ticker-server` does, by hand
/// SystemBenchmarks idle COUNT          what so many idle connections take in memory
/// SystemBenchmarks jobs append|reopen FILE CLIENTS JOBS
///                                      so many clients log so many jobs each on disk: prints how many per second
/// ```
///
/// `hand-lines` and `hand-log` are written by hand over `read` and `memchr`; `bytes`, `byte-lines` and `text-lines` go through
/// `File.bytes`; `copy` writes a file to `/dev/null`, and `program` reads it from `cat`. `hand-log` is the example `logstat` by hand. `Benchmarks/system` runs them all.
@main
enum SystemBenchmarks {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 3, arguments[0] == "make", let size = Int(arguments[2]) {
            return LogFile.make(at: arguments[1], mebibytes: size)
        }
        if arguments.count == 3, arguments[0] == "echo-server", let clients = Int(arguments[2]) {
            return Echo.serve(by: arguments[1], clients: clients)
        }
        if arguments.count == 4, arguments[0] == "echo-load", let port = UInt16(arguments[1]),
            let clients = Int(arguments[2]), let messages = Int(arguments[3])
        {
            return Echo.load(port: port, clients: clients, messages: messages)
        }
        if arguments.count == 3, arguments[0] == "ticker", let rate = Int(arguments[1]), let time = Int(arguments[2]) {
            return HandTicker.serve(rate: rate, milliseconds: time)
        }
        if arguments.count == 5, arguments[0] == "jobs", let clients = Int(arguments[3]), let jobs = Int(arguments[4]) {
            let log = JobLog(path: arguments[2], clients: clients, jobs: jobs)
            let began = DispatchTime.now().uptimeNanoseconds
            if arguments[1] == "append" { log.append() } else { log.reopen() }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
            return print("\(arguments[1])\t\(Int(Double(clients * jobs) / seconds)) jobs per second")
        }
        if arguments.count == 2, arguments[0] == "idle", let count = Int(arguments[1]) { return Idle.run(count) }
        guard arguments.count == 2, let workload = Workload(rawValue: arguments[0]) else {
            print("There are the workloads \(Workload.allCases.map(\.rawValue).joined(separator: ", ")).")
            exit(2)
        }
        let began = DispatchTime.now().uptimeNanoseconds
        let count = workload.run(arguments[1])
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        print("\(arguments[0])\t\(count)\t\(milliseconds) ms\t\(usage.ru_maxrss) KiB")
    }
}
