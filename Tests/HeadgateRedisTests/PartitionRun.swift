import Foundation
import HeadgateCore
import HeadgateRedis
import PartitionChecker
import TestSupport
import XCTest

/// Workers in processes of their own, which are disturbed while entries are added, and write down what happens to them.
final class PartitionRun {
    static let partitions = 8
    static let lease = 1_000

    /// The server, through a proxy; or a cluster.
    private let server: RealServer?
    private let proxy: Proxy?
    private let cluster: TestCluster?
    private let url: String
    private let folder: String
    private let faults: [String]
    private let log: HistoryFile
    private var processes: [String: (process: Process, input: Pipe)] = [:]
    private var stopped: [(name: String, until: Date)] = []
    private var number = 0
    private var producing: AnyCancellable?
    private let added = Guarded(0)

    init(faults: String..., plan: @escaping Proxy.Plan = { _ in (.none, .none) }) throws {
        // What it has confirmed survives a crash.
        let server = try RealServer(
            "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-min-size", "2mb")
        let proxy = try Proxy(to: server, plan: plan)
        (self.server, self.proxy, cluster) = (server, proxy, nil)
        url = proxy.url
        folder = server.folder
        self.faults = faults
        log = HistoryFile("\(folder)/history-0")
    }

    init(on cluster: TestCluster) {
        (server, proxy, self.cluster) = (nil, nil, cluster)
        url = cluster.url
        folder = cluster.folder.path
        faults = []
        log = HistoryFile("\(folder)/history-0")
    }

    private static func key(of partition: Int) -> Bytes { Bytes("run:{\(partition)}") }

    /// Asks the server, or the node that serves a key.
    private func makeRequest(at key: Bytes, _ arguments: Bytes...) throws -> RedisValue? {
        if let server { return try server.makeRequest(arguments) }
        return cluster?.node(of: key).makeRequest(arguments)
    }

    deinit {
        producing?.cancel()
        for (process, _) in processes.values where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for (process, _) in processes.values { process.waitUntilExit() }
        proxy?.close()
    }

    /// Those that are not stopped and not on their way out.
    var names: [String] { processes.keys.filter { name in !stopped.contains { $0.name == name } }.sorted() }

    var stoppedCount: Int { stopped.count }

    // MARK: - Workers

    func start() throws {
        number += 1
        let name = "w\(number)"
        let process = Process()
        let folder = try XCTUnwrap(Bundle.main.executableURL).deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("PartitionProbe")
        process.arguments =
            [url, name, "\(Self.partitions)", "\(Self.lease)", "\(self.folder)/history-\(number)"] + faults
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
        processes[name] = (process, input)
    }

    func crash(_ name: String) {
        guard let (process, _) = processes.removeValue(forKey: name) else { return }
        log.write("D", name)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop(_ name: String, for time: TimeInterval) {
        guard let (process, _) = processes[name] else { return }
        log.write("N", name)
        kill(process.processIdentifier, SIGSTOP)
        stopped.append((name, Date(timeIntervalSinceNow: time)))
    }

    /// Lets those go on whose time is over.
    func wake(all: Bool = false) {
        for (name, until) in stopped where all || until < Date() {
            guard let (process, _) = processes[name] else { continue }
            kill(process.processIdentifier, SIGCONT)
            log.write("N", name)
        }
        stopped.removeAll { all || $0.until < Date() }
    }

    /// Has a worker leave in peace.
    func leave(_ name: String) {
        guard let (process, input) = processes[name] else { return }
        log.write("L", name)
        kill(process.processIdentifier, SIGTERM)
        processes[name] = nil
        leaving.append((name, process, input))
    }

    private var leaving: [(name: String, process: Process, input: Pipe)] = []

    func cut() {
        log.write("N", "-")
        proxy?.cutAll()
        for node in cluster?.nodes ?? [] { node.makeRequest("CLIENT", "KILL", "TYPE", "normal") }
    }

    /// Disturbs for as long as it takes: it may be long, and nothing is quiet meanwhile.
    private func disturb(_ work: () throws -> Void) rethrows {
        let isOver = Guarded(false)
        let log = self.log
        DispatchQueue.global().async {
            while !isOver.withLock({ $0 }) {
                log.write("N", "-")
                usleep(200_000)
            }
        }
        defer {
            isOver.withLock { $0 = true }
            log.write("N", "-")
        }
        try work()
    }

    /// Ends the server as a crash does, and starts it again.
    func crashServer() throws {
        try disturb {
            server?.kill()
            try server?.start()
        }
    }

    /// Removes what has been acknowledged, so that a server is not started ever more slowly.
    func trim() {
        for partition in 0..<Self.partitions {
            let key = Self.key(of: partition)
            guard let rows = try? makeRequest(at: key, "XPENDING", key, "g", "-", "+", "1")?.elements,
                let oldest = rows.first?.elements?.first?.bytes
            else { continue }
            _ = try? makeRequest(at: key, "XTRIM", key, "MINID", oldest)
        }
    }

    /// Stops the server, or a node, for a time.
    func stopServer(for time: TimeInterval) {
        let node = cluster?.nodes.randomElement()
        func signal(_ number: Int32) {
            server?.signal(number)
            node?.signal(number)
        }
        disturb {
            signal(SIGSTOP)
            usleep(UInt32(time * 1_000_000))
            signal(SIGCONT)
        }
    }

    /// Has all that expires expire sooner by so many milliseconds, as if the server's clock had jumped ahead; or later.
    func jumpClock(by time: Int) throws {
        let script: Bytes = """
            for _, key in ipairs(redis.call('KEYS', '*')) do
              local rest = redis.call('PTTL', key)
              if rest > 0 then redis.call('PEXPIRE', key, rest - ARGV[1]) end
            end
            """
        log.write("J", "-")
        try server?.makeRequest("EVAL", script, "0", Bytes("\(time)"))
        log.write("J", "-")
    }

    func setBlackHole(_ isOne: Bool) {
        log.write("N", "-")
        proxy?.isBlackHole = isOne
    }

    /// Moves what is about a partition, or about all of them, to another node of the cluster.
    func move(_ partition: Int?) {
        guard let cluster else { return }
        let slot = cluster.slot(of: partition.map { Self.key(of: $0) } ?? "run:{partitions}")
        let owner = cluster.owner(of: slot)
        guard let target = cluster.masters.filter({ $0 != owner }).randomElement() else { return }
        disturb { cluster.move(slot, to: target) }
    }

    /// Has a replica take the place of its master.
    func failOver() {
        guard let cluster, let master = cluster.masters.randomElement() else { return }
        disturb { cluster.failOver(master) }
    }

    /// Takes all partitions by force, as if the server's clock had jumped and another had taken them: their owners do not
    /// know of it yet.
    ///
    /// - Parameter removesFences: Whether the fences of the owners go, as they do where another takes a partition.
    func usurp(removesFences: Bool = true) throws {
        log.write("N", "-")
        let server = try XCTUnwrap(server)
        let time = try XCTUnwrap(server.makeRequest("TIME").elements?.compactMap(\.integer))
        let token = time[0] * 1_000 + time[1] / 1_000
        let script: Bytes = """
            local current = redis.call('GET', KEYS[1])
            if current and ARGV[2] == 'true' then
              redis.call('DEL', KEYS[1] .. ':' .. string.match(current, '^%d+'))
            end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', 600)
            """
        for partition in 0..<Self.partitions {
            try server.makeRequest(
                "EVAL", script, "1", Bytes("run:{\(partition)}:lease:g"), Bytes("\(token) 1 ghost"),
                Bytes("\(removesFences)"))
            log.write("O", "ghost \(partition) \(token)")
        }
    }

    // MARK: - Entries

    /// Adds entries, so many in fifty milliseconds.
    ///
    /// - Parameters:
    ///   - slow: One in so many takes long to work on.
    ///   - partition: Where an entry goes, if not where it belongs.
    func produce(_ count: Int, rate: Int, slow: Int = 13, misplacing partition: (@Sendable (Int) -> Int)? = nil) {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: nil)
        options.answeringTime = .seconds(3)
        let partitions = Redis(url, options: options).partitions("run", count: Self.partitions)
        let log = self.log
        @Sendable func key(_ number: Int) -> Bytes { Bytes("k\(number &* 7 % 29)") }
        producing = AnyCancellable(
            (0..<count).publisher
                .rateLimit(rate, per: .milliseconds(50), scheduler: DispatchQueue.global())
                .add(
                    to: partitions, by: key, id: { EntryID(UInt64($0) + 1) }
                ) { number in
                    log.write("B", "\(partitions.partition(of: key(number))) \(number + 1)")
                    var fields = [("n", Bytes("\(number)"))]
                    if number % 97 == 5 { fields.append(("poison", "1")) }
                    if number % slow == 0 { fields.append(("slow", "1")) }
                    return EntryFields(fields.map { (Bytes($0.0), $0.1) })
                }
                .sink(
                    receiveCompletion: { if case .failure(let error) = $0 { XCTFail("adding failed: \(error)") } },
                    receiveValue: { [weak self] place in
                        let number = Int(place.id.milliseconds) - 1
                        let shown = partition?(number) ?? place.partition
                        log.write("A", "\(shown) \(number + 1) \(String(key(number)))")
                        self?.added.withLock { $0 += 1 }
                    }))
    }

    /// How far the groups have come, as the servers tell it.
    var groups: String {
        (0..<Self.partitions).map { partition in
            let key = Self.key(of: partition)
            return (try? makeRequest(at: key, "XINFO", "GROUPS", key)).map { "\($0)" } ?? ""
        }
        .joined()
    }

    /// Whether everything is added, and done.
    func isDone(_ count: Int) -> Bool {
        if added.withLock({ $0 }) < count { return false }
        for partition in 0..<Self.partitions {
            let key = Self.key(of: partition)
            guard let groups = try? makeRequest(at: key, "XINFO", "GROUPS", key)?.elements,
                let facts = groups.first?.elements
            else { continue }
            for place in stride(from: 0, to: facts.count - 1, by: 2) {
                if facts[place].bytes == "pending", facts[place + 1].integer != 0 { return false }
                // The lag is not known to a replica of version 7.0 that has taken over.
                if facts[place].bytes == "last-delivered-id", let last = facts[place + 1].text {
                    let rest = try? makeRequest(at: key, "XRANGE", key, Bytes("(\(last)"), "+", "COUNT", "1")
                    if rest?.elements?.isEmpty != true { return false }
                }
            }
        }
        return true
    }

    /// Ends the run, and reads what has been written down.
    func finish(quiet: TimeInterval = 0) throws -> History {
        if quiet > 0 {
            // A time of the system's: two leases in which nothing happens.
            let end = Date(timeIntervalSinceNow: quiet)
            while Date() < end { usleep(50_000) }
            log.write("E", "-")
        }
        for (name, worker) in processes where !worker.process.isRunning {
            XCTFail("\(name) has ended by itself: \(worker.process.terminationStatus)")
        }
        for name in Array(processes.keys) { leave(name) }
        for (name, process, _) in leaving {
            eventually("\(name) leaves") { !process.isRunning }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        let dead = cluster == nil ? ["dead"] : (0..<Self.partitions).map { Bytes("dead:{\($0)}") }
        for entry in try dead.flatMap({ try makeRequest(at: $0, "XRANGE", $0, "-", "+")?.elements ?? [] }) {
            let fields = EntryFieldsOfReply(entry)
            if let partition = fields["headgate-partition"], let id = fields["headgate-id"]?.split(separator: "-").first
            {
                log.writeWithoutTime("G \(partition) \(id)")
            }
        }
        if let folder = ProcessInfo.processInfo.environment["HEADGATE_PARTITION_HISTORIES"] {
            for number in 0...number {
                _ = try? FileManager.default.copyItem(
                    atPath: "\(self.folder)/history-\(number)", toPath: "\(folder)/history-\(number)")
            }
        }
        let texts = try (0...number).compactMap { number in
            let path = "\(folder)/history-\(number)"
            return FileManager.default.fileExists(atPath: path)
                ? try String(contentsOfFile: path, encoding: .utf8) : nil
        }
        return History(texts)
    }

    static func check(_ history: History) -> [Checker.Breach] {
        Checker.check(history, partitions: partitions, lease: lease * 1_000_000)
    }
}

/// The fields of an entry in a reply.
private struct EntryFieldsOfReply {
    private let words: [String]

    init(_ entry: RedisValue) { words = entry.elements?.last?.elements?.map { $0.text ?? "" } ?? [] }

    subscript(name: String) -> String? {
        stride(from: 0, to: words.count - 1, by: 2).first { words[$0] == name }.map { words[$0 + 1] }
    }
}

/// Lines with times, as the workers write them.
private final class HistoryFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644) }

    deinit { close(descriptor) }

    func write(_ kind: String, _ rest: String) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        writeWithoutTime("\(kind) \(time.tv_sec * 1_000_000_000 + time.tv_nsec) \(rest)")
    }

    func writeWithoutTime(_ line: String) { _ = "\(line)\n".withCString { Glibc.write(descriptor, $0, strlen($0)) } }
}
