@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// A master, its replica and three sentinels on free ports of the loopback interface.
final class ReplicatedServers: Sendable {
    private static let name = "fleet"

    private struct Node: Sendable {
        let port: UInt16
        let process: ServerProcess
    }

    private let folder: String
    private let nodes: [Node]
    private let sentinels: [Node]

    init() throws(UsageError) {
        let folder = try TemporaryFolder.make()
        let ports = Self.freePorts(5)
        nodes = ports.prefix(2).map { port in
            let process = ServerProcess([
                "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--dbfilename", "\(port).rdb", "--save",
                "",
                "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "64mb",
            ])
            return Node(port: port, process: process)
        }
        for port in ports.dropFirst(2) {
            let settings = """
                port \(port)
                bind 127.0.0.1
                dir \(folder)
                sentinel monitor \(Self.name) 127.0.0.1 \(ports[0]) 2
                sentinel down-after-milliseconds \(Self.name) 1000
                sentinel failover-timeout \(Self.name) 5000

                """
            guard let file = fopen("\(folder)/\(port).conf", "w") else {
                throw UsageError("\(folder) can't be written to")
            }
            fputs(settings, file)
            fclose(file)
        }
        sentinels = ports.dropFirst(2).map { port in
            Node(port: port, process: ServerProcess(["\(folder)/\(port).conf", "--sentinel"]))
        }
        self.folder = folder
    }

    var url: String {
        "redis-sentinel://" + sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") + "/\(Self.name)"
    }

    /// Starts all, and waits until a failover is possible.
    func start() async throws {
        try await nodes[0].process.start()
        try await nodes[1].process.start("--replicaof", "127.0.0.1", "\(nodes[0].port)")
        for sentinel in sentinels { try await sentinel.process.start() }
        for _ in 0..<600 {
            if await isReady { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw UsageError("the sentinels do not know a master and its replica after a minute")
    }

    /// Ends all as a crash does.
    func kill() { for node in nodes + sentinels { node.process.kill() } }

    /// Ends all, and removes what they have left.
    func end() async {
        kill()
        await TemporaryFolder.remove(folder)
    }

    /// Has the replica become the master, and the master the replica.
    ///
    /// - Parameter kills: Whether the master is killed, and not the sentinels asked for it.
    /// - Returns: Whether that was done: not while there is no replica that has everything.
    func failOver(kills: Bool) async -> Bool {
        guard await isReady, let old = await masterPort, let node = nodes.first(where: { $0.port == old }) else {
            fputs("fleet: no failover, because a replica or the sentinels are not ready\n", stderr)
            return false
        }
        if kills {
            node.process.kill()
        } else if await ask(sentinels[0].port, "SENTINEL", "FAILOVER", Bytes(Self.name)) == nil {
            return false
        }
        // What the sentinels were asked for, they may give up.
        let end = ContinuousClock.now + .seconds(30)
        while kills || ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(50))
            guard let new = await masterPort, new != old else { continue }
            // Started earlier, it would be the master again, without any data.
            if kills { try? await node.process.start("--replicaof", "127.0.0.1", "\(new)") }
            return true
        }
        return false
    }

    /// The port of the master, by at least two sentinels.
    private var masterPort: UInt16? {
        get async {
            var ports: [UInt16?] = []
            for sentinel in sentinels {
                let answer = await ask(sentinel.port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", Bytes(Self.name))
                ports.append(answer?.elements?.last?.text.flatMap { UInt16($0) })
            }
            return ports.compactMap { $0 }.first { port in ports.count { $0 == port } > 1 }
        }
    }

    /// Whether the replica receives what the master does, and two sentinels can have it become the master.
    private var isReady: Bool {
        get async {
            guard let port = await masterPort,
                await ask(port, "INFO", "replication")?.text?.contains("state=online") == true
            else { return false }
            var ready = 0
            for sentinel in sentinels {
                let facts = await ask(sentinel.port, "SENTINEL", "MASTER", Bytes(Self.name))?.elements ?? []
                func fact(_ name: Bytes) -> Bytes? {
                    facts.firstIndex { $0.bytes == name }.flatMap { $0 + 1 < facts.count ? facts[$0 + 1].bytes : nil }
                }
                let isKnown = fact("num-slaves") == "1" && fact("num-other-sentinels") == "2"
                if isKnown, fact("flags") == "master", fact("port") == Bytes("\(port)") { ready += 1 }
            }
            return ready > 1
        }
    }

    /// The answer of one server; `nil` if there is none, or an error.
    private func ask(_ port: UInt16, _ arguments: Bytes...) async -> RedisValue? {
        var options = RedisOptions()
        options.commandRetries = 0
        options.retrying = .constant(.zero, retries: 0)
        options.idleTime = .zero
        return try? await Redis("redis://127.0.0.1:\(port)", options: options).command(arguments).firstValue
    }

    /// Ports that no process listens at.
    private static func freePorts(_ count: Int) -> [UInt16] {
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets { close(socket) } }
        return sockets.map { socket in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(socket, $0, size)
                    _ = getsockname(socket, $0, &size)
                }
            }
            return UInt16(bigEndian: address.sin_port)
        }
    }
}
