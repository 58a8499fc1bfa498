import Foundation
import HeadgateCore
import HeadgateRedis
import TestSupport
import XCTest

/// Three masters and three replicas, on ports of the loopback interface.
final class TestCluster {
    let nodes: [PortServer]
    /// For what a test writes down.
    let folder = Folder()
    private let names: [Bytes]

    /// - Parameter settings: Further lines of the configuration of each.
    init(_ settings: [String] = []) throws {
        let all =
            [
                "cluster-enabled yes", "cluster-node-timeout 4000", "save \"\"", "repl-diskless-sync-delay 0",
                "cluster-replica-validity-factor 0", "cluster-allow-replica-migration no",
            ] + settings
        let isOld = RealServer.path.map { $0.contains("v62") } ?? false
        let lines = isOld ? all.filter { !$0.contains("replica-migration") } : all
        nodes = try (0..<6).map { _ in try PortServer(lines, isNode: true) }
        names = nodes.map { $0.makeRequest("CLUSTER", "MYID")?.bytes?.copied() ?? "" }
        for (number, node) in nodes.enumerated() {
            node.makeRequest("CLUSTER", "SET-CONFIG-EPOCH", Bytes("\(number + 1)"))
        }
        for number in 0..<3 {
            let slots = (number * 16_384 / 3)..<((number + 1) * 16_384 / 3)
            XCTAssertEqual(
                nodes[number].makeRequest(["CLUSTER", "ADDSLOTS"] + slots.map { Bytes("\($0)") }), .status("OK"))
        }
        for node in nodes.dropFirst() {
            node.makeRequest("CLUSTER", "MEET", "127.0.0.1", Bytes("\(nodes[0].port)"))
        }
        eventually("all know each other") { nodes.allSatisfy { info($0).contains("cluster_known_nodes:6") } }
        for number in 3..<6 {
            eventually("it replicates") {
                nodes[number].makeRequest("CLUSTER", "REPLICATE", names[number - 3]) == .status("OK")
            }
        }
        waitUntilWhole()
    }

    func waitUntilWhole() {
        eventually("the cluster is whole") {
            nodes.filter(\.isRunning).allSatisfy { node in
                let role = node.makeRequest("INFO", "replication")?.text ?? ""
                return info(node).contains("cluster_state:ok")
                    && (role.contains("role:master") || role.contains("master_link_status:up"))
            }
        }
        waitUntilAgreed()
    }

    private func info(_ node: PortServer) -> String { node.makeRequest("CLUSTER", "INFO")?.text ?? "" }

    /// Waits until all nodes know the same of all others, and the newest epoch.
    ///
    /// A slot that is moved raises the epoch of one node alone. Who raises it without knowing of that takes the same one
    /// again: two owners of a slot then name each other for good, or a former master takes its replica's place back.
    private func waitUntilAgreed() {
        eventually("all nodes agree") {
            let views = nodes.filter(\.isRunning).map { view(of: $0) }
            // Besides the nodes, a view has the epoch.
            return Set(views).count == 1 && views[0].count == views.count + 1
        }
    }

    /// Who serves which slots, who replicates whom, and the epoch, by one node.
    private func view(of node: PortServer) -> Set<String> {
        let lines = node.makeRequest("CLUSTER", "NODES")?.text?.split(separator: "\n") ?? []
        let members = lines.compactMap { line -> String? in
            let words = line.split(separator: " ")
            let flags = words[2].replacing("myself,", with: "")
            // A node tells of its own slots alone that they are moving.
            let slots = words.dropFirst(8).filter { !$0.hasPrefix("[") }
            return flags.contains("fail") ? nil : "\(words[0]) \(flags) \(words[3]) \(slots)"
        }
        let epoch = info(node).split(separator: "\r\n").filter { $0.hasPrefix("cluster_current_epoch:") }
        return Set(members + epoch.map(String.init))
    }

    var url: String { "redis-cluster://" + nodes.prefix(3).map { "127.0.0.1:\($0.port)" }.joined(separator: ",") }

    func redis(idleTime: Duration = .seconds(5)) -> Redis {
        var options = RedisOptions()
        options.idleTime = idleTime
        options.retrying = .exponential(initial: .milliseconds(5), cap: .milliseconds(100), retries: nil)
        options.commandRetries = 200
        options.answeringTime = .seconds(3)
        return Redis(url, options: options)
    }

    func slot(of key: Bytes) -> Int {
        Int(nodes.first(where: \.isRunning)?.makeRequest("CLUSTER", "KEYSLOT", key)?.integer ?? -1)
    }

    /// The place of the node that serves a slot, as most of them say.
    func owner(of slot: Int) -> Int {
        for (place, node) in nodes.enumerated() where node.isRunning {
            guard node.makeRequest("ROLE")?.elements?.first?.text == "master" else { continue }
            let key = node.makeRequest("CLUSTER", "SLOTS")?.elements ?? []
            for row in key {
                guard let parts = row.elements, let first = parts[0].integer, let last = parts[1].integer else {
                    continue
                }
                if first...last ~= Int64(slot), parts[2].elements?[1].integer == Int64(node.port) { return place }
            }
        }
        return -1
    }

    /// The node that serves a key.
    func node(of key: Bytes) -> PortServer {
        var place = -1
        eventually("somebody serves it") {
            place = owner(of: slot(of: key))
            return place >= 0
        }
        return nodes[max(0, place)]
    }

    /// The places of the masters.
    var masters: [Int] {
        nodes.indices.filter {
            nodes[$0].isRunning && nodes[$0].makeRequest("ROLE")?.elements?.first?.text == "master"
        }
    }

    /// The replica of a master that follows it.
    func replica(of master: Int) -> Int? {
        nodes.indices.first { place in
            let parts = nodes[place].isRunning ? nodes[place].makeRequest("ROLE")?.elements ?? [] : []
            return parts.first?.text == "slave" && parts[2].integer == Int64(nodes[master].port)
                && parts[3].text == "connected"
        }
    }

    /// Waits until a master's replica has everything that it has confirmed.
    func waitForReplica(of master: Int) {
        eventually("the replica has it") {
            let text = nodes[master].makeRequest("INFO", "replication")?.text ?? ""
            func number(_ name: String) -> Substring? {
                text.firstRange(of: name).map { text[$0.upperBound...].prefix { $0.isNumber } }
            }
            return number("master_repl_offset:") == number(",offset=")
        }
    }

    // MARK: - Resharding

    /// Begins to move a slot.
    func open(_ slot: Int, from source: Int, to target: Int) {
        let number = Bytes("\(slot)")
        nodes[target].makeRequest("CLUSTER", "SETSLOT", number, "IMPORTING", names[source])
        nodes[source].makeRequest("CLUSTER", "SETSLOT", number, "MIGRATING", names[target])
    }

    func migrate(_ key: Bytes, from source: Int, to target: Int) {
        nodes[source].makeRequest("MIGRATE", "127.0.0.1", Bytes("\(nodes[target].port)"), key, "0", "5000", "REPLACE")
    }

    func close(_ slot: Int, at target: Int) {
        let number = Bytes("\(slot)")
        nodes[target].makeRequest("CLUSTER", "SETSLOT", number, "NODE", names[target])
        for place in masters where place != target {
            nodes[place].makeRequest("CLUSTER", "SETSLOT", number, "NODE", names[target])
        }
        waitUntilAgreed()
    }

    /// Moves a slot with its keys.
    func move(_ slot: Int, to target: Int) {
        let source = owner(of: slot)
        if source < 0 || source == target { return }
        open(slot, from: source, to: target)
        // A key that arrives too late for its reply is there already when it is sent again.
        eventually("its keys have moved") {
            let keys = nodes[source].makeRequest("CLUSTER", "GETKEYSINSLOT", Bytes("\(slot)"), "10")?.elements ?? []
            for key in keys { migrate(key.bytes ?? "", from: source, to: target) }
            return keys.isEmpty
        }
        close(slot, at: target)
    }

    // MARK: - Failing over

    /// Has the replica of a master take its place, without a loss.
    func failOver(_ master: Int) {
        waitUntilAgreed()
        var replica: Int?
        eventually("it has a replica") {
            replica = self.replica(of: master)
            return replica != nil
        }
        guard let replica else { return }
        var asked = Date.distantPast
        eventually("it takes the place, and the former follows") {
            // A request ends after five seconds. And a new master can fall back, if what it was elected by is old.
            let isMaster = nodes[replica].makeRequest("ROLE")?.elements?.first?.text == "master"
            if !isMaster, asked.timeIntervalSinceNow < -6 {
                nodes[replica].makeRequest("CLUSTER", "FAILOVER")
                asked = Date()
            }
            return self.replica(of: replica) == master
        }
    }
}
