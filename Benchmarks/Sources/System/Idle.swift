import Dispatch
import Glibc
import HeadgateSystem
import Synchronization

/// What connections take in memory that are read line by line, written to, and silent.
enum Idle {
    /// Opens so many over a Unix socket, with the other ends by hand, and prints the memory that each has added.
    static func run(_ count: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let path = "/tmp/headgate-idle-\(getpid())"
        let listener = Listener(path: path, backlog: 4096)
        guard (try? listener.bind()) != nil else { return perror(path) }
        let accepted = Atomic(0)
        let quiet = PassthroughSubject<Bytes, Never>()
        let lines = Mutex<[AnyCancellable]>([])
        lines.withLock { $0.reserveCapacity(count) }
        let serving = listener.sink(
            receiveCompletion: { print($0) },
            receiveValue: { connection in
                let reading = connection.lines().sink(receiveCompletion: { _ in }, receiveValue: { _ in })
                quiet.write(to: connection) { _ in }
                lines.withLock { $0.append(reading) }
                accepted.add(1, ordering: .relaxed)
            })
        var clients: [Int32] = []
        clients.reserveCapacity(count)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
        func open(_ number: Int) {
            while clients.count < number {
                let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                let result = withUnsafePointer(to: &place) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                if client < 0 || result < 0 { return perror("connect") }
                clients.append(client)
            }
            // Two descriptors for each in one process: the limit of the shell may be lower than what is asked for.
            for _ in 0..<10_000 where accepted.load(ordering: .relaxed) < number { usleep(1000) }
            if accepted.load(ordering: .relaxed) < number { print("Not all were accepted; see ulimit -n.") }
            usleep(500_000)
        }
        open(100)
        let before = resident
        open(100 + count)
        let after = resident
        print("\(count) idle connections: \((after - before) / count) bytes each, \(after >> 10) KiB in all")
        clients.forEach { close($0) }
        serving.cancel()
        unlink(path)
    }

    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
