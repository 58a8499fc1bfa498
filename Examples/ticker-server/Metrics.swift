import Glibc
import HeadgateSystem
import Synchronization

/// The server's counters.
final class Metrics: Sendable {
    let clients = Atomic(0)
    let accepted = Atomic(0)
    let sent = Atomic(0)
    let dropped = Atomic(0)
    let disconnected = Atomic(0)
    let misunderstood = Atomic(0)

    /// What clients receive, for Prometheus.
    let flow = Flow("ticker")

    /// The figures as a text, ready to print.
    func text(messages: Int, refused: Int) -> String {
        """
        clients        \(clients.load(ordering: .relaxed)) of \(accepted.load(ordering: .relaxed))
        messages       \(messages)
        sent           \(sent.load(ordering: .relaxed))
        dropped        \(dropped.load(ordering: .relaxed))
        disconnected   \(disconnected.load(ordering: .relaxed))
        misunderstood  \(misunderstood.load(ordering: .relaxed))
        refused        \(refused)
        resident       \(residentKibibytes) KiB

        """
    }

    private var residentKibibytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) >> 10 : 0
    }
}
