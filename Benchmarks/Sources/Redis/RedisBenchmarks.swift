import Dispatch
import Glibc
import HeadgateRedis

/// The command line.
///
/// ```
/// RedisBenchmarks add SOCKET COUNT           adds entries of one field of three bytes to the stream "bench"
/// RedisBenchmarks make-add SOCKET COUNT      the same, with fields that are made for each
/// RedisBenchmarks deliver SOCKET COUNT       delivers so many to a new group, without acknowledging them
/// RedisBenchmarks acknowledge SOCKET COUNT   delivers and acknowledges so many
/// RedisBenchmarks hand SOCKET COUNT          the same over a raw socket, 100 at a time, in a blocking loop
/// RedisBenchmarks read-entries SOCKET COUNT  reads so many entries of two fields, 1,000 in a reply
/// RedisBenchmarks read-stream SOCKET COUNT   the same as a stream of entries
/// RedisBenchmarks read-bulk SOCKET COUNT     reads so many strings of 64 KiB
/// RedisBenchmarks sources SOCKET COUNT       the number of threads that so many waiting sources take
/// ```
/// RedisBenchmarks add-partitions SOCKET COUNT       adds entries with 10,000 keys to 64 partitions
/// RedisBenchmarks partitions SOCKET COUNT           delivers and acknowledges them, one of each key at a time
/// RedisBenchmarks partitions-as-read SOCKET COUNT   the same, in the order of the partitions
/// RedisBenchmarks partitions-of-eight SOCKET COUNT  the same as the first, with eight workers
/// RedisBenchmarks one-stream SOCKET COUNT           delivers and acknowledges the entries of "bench" in the same way
/// RedisBenchmarks one-stream-of-eight SOCKET COUNT  the same, with eight consumers
/// RedisBenchmarks idle-partitions SOCKET COUNT      the processor's time that so many owned partitions take
///
/// Each prints its name, the number, the milliseconds that it took, and the peak memory. `Benchmarks/redis` runs them all.
@main
enum RedisBenchmarks {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else { return usage() }
        let streaming = Streaming(socket: arguments[1])
        var began = DispatchTime.now().uptimeNanoseconds
        /// Of a workload that measures its time itself.
        func time(_ nanoseconds: UInt64) { began = DispatchTime.now().uptimeNanoseconds - nanoseconds }
        switch arguments[0] {
        case "add": streaming.add(count)
        case "make-add": streaming.makeAndAdd(count)
        case "read-stream": streaming.readStream(count)
        case "deliver": streaming.deliver(count)
        case "acknowledge": streaming.acknowledge(count)
        case "hand": HandWorker(socket: arguments[1]).run(count)
        case "read-entries": streaming.readEntries(count)
        case "read-bulk": streaming.readBulk(count)
        case "sources": streaming.sources(count)
        case "add-partitions": streaming.addToPartitions(count)
        case "partitions": time(streaming.work(count, workers: 1, .byKey))
        case "partitions-as-read": time(streaming.work(count, workers: 1, .asRead))
        case "partitions-of-eight": time(streaming.work(count, workers: 8, .byKey))
        case "one-stream": time(streaming.workOnOneStream(count, workers: 1))
        case "one-stream-of-eight": time(streaming.workOnOneStream(count, workers: 8))
        case "idle-partitions": streaming.own(count)
        default: return usage()
        }
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000
        var resources = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &resources)
        print("\(arguments[0])\t\(count)\t\(milliseconds) ms\t\(resources.ru_maxrss) KiB")
    }

    private static func usage() {
        print(
            "RedisBenchmarks add|make-add|deliver|acknowledge|hand|read-entries|read-stream|read-bulk|sources|add-partitions|"
                + "partitions|partitions-as-read|partitions-of-eight|one-stream|one-stream-of-eight|idle-partitions SOCKET COUNT"
        )
        exit(2)
    }
}
