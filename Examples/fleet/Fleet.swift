import Dispatch
@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// Adds entries, keeps workers running, and disturbs them.
final class Fleet: Sendable {
    private let arguments: Arguments
    private let orders: Orders
    private let url: String
    private let server: Server?
    private let replicated: ReplicatedServers?
    private let ledger: String?
    private let isOver = Mutex(false)
    private let pids = Mutex<[Int32]>([])
    private let report = Mutex(Report())

    /// How the entries are added.
    let flow = Flow("fleet")

    /// - Parameters:
    ///   - server: The server of its own.
    ///   - replicated: The servers with the stream, if they fail over: the work is recorded on the former then.
    init(_ arguments: Arguments, _ url: String, _ server: Server?, _ replicated: ReplicatedServers?) {
        self.arguments = arguments
        self.url = replicated?.url ?? url
        self.server = server
        self.replicated = replicated
        ledger = replicated == nil ? nil : url
        orders = Orders(self.url, ledger: ledger)
    }

    func run() async throws -> Report {
        let cleaning: Bytes = "for _, key in ipairs(redis.call('KEYS', 'fleet:*')) do redis.call('DEL', key) end"
        _ = try await orders.makeRequest("EVAL", cleaning, "0")
        _ = try await orders.record("EVAL", cleaning, "0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<arguments.workers { group.addTask { await self.keepRunning("worker-\(number)") } }
            group.addTask {
                await self.repeatedly(every: self.arguments.kills > 0 ? 1 / self.arguments.kills : 0, self.killOne)
            }
            group.addTask { await self.repeatedly(every: self.arguments.cut, self.cutAll) }
            group.addTask { await self.crash() }
            group.addTask { await self.repeatedly(every: self.arguments.failover, self.failOver) }
            group.addTask { await self.watch() }
            group.addTask {
                defer { self.end() }
                try await self.add()
                try await self.waitForTheWork()
            }
            try await group.waitForAll()
        }
        return try await count()
    }

    /// Ends the workers, and starts no others.
    func end() {
        isOver.withLock { $0 = true }
        for pid in pids.withLock({ $0 }) { kill(pid, SIGKILL) }
    }

    private var isRunning: Bool { isOver.withLock { !$0 } }

    /// Adds the entries, as fast as the time demands and the server confirms.
    private func add() async throws {
        let arguments = self.arguments
        let rate = arguments.seconds > 0 ? max(1, Int(Double(arguments.entries) / arguments.seconds / 20)) : .max
        let numbers =
            arguments.seconds > 0
            ? (0..<arguments.entries).publisher.rateLimit(
                rate, per: .milliseconds(50), scheduler: DispatchQueue.global()
            )
            .eraseToAnyPublisher()
            : (0..<arguments.entries).publisher.eraseToAnyPublisher()
        @Sendable func customer(_ number: Int) -> Bytes { Bytes("\(number % 1_000)") }
        let megabyte = Bytes(repeatElement(UInt8(ascii: "x"), count: 1 << 20))
        @Sendable func fields(_ number: Int) -> EntryFields {
            var pairs: [(Bytes, Bytes)] = [("number", Bytes("\(number)")), ("customer", customer(number))]
            if number < arguments.poison { pairs.append(("poison", "yes")) }
            if arguments.large > 0, number % (arguments.entries / arguments.large) == 0 {
                pairs.append(("content", megabyte))
            }
            return EntryFields(pairs)
        }
        let given = numbers.stage("orders", in: flow)
        if replicated != nil { return try await add(given.map(fields)) }
        let adding =
            arguments.partitions > 0
            ? given
                .add(
                    to: orders.partitions(arguments.partitions), by: customer, id: { EntryID(UInt64($0) + 1) }, fields
                )
                .map { $0.id }.eraseToAnyPublisher()
            : given.map(fields)
                .add(to: orders.stream, id: { EntryID(UInt64($0.text("number") ?? "0")! + 1) })
                .eraseToAnyPublisher()
        _ = try await adding.stage("added", in: flow)
            .handleEvents(receiveOutput: { _ in self.report.withLock { $0.added += 1 } })
            .lastValue
    }

    /// Adds entries in batches, each of which a replica has confirmed before the next.
    private func add(_ entries: some Publisher<EntryFields, Never>) async throws {
        let adding = ReplicatedAdding(url)
        _ = try await entries.batch(count: 256, within: .milliseconds(50), scheduler: DispatchQueue.global())
            .setFailureType(to: (any Error).self)
            .asyncMap(maxConcurrent: 1) { batch in
                try await adding.add(batch)
                self.report.withLock { report in
                    report.added += batch.count
                    report.addedAgain = adding.repeated
                }
            }
            .stage("added", in: flow)
            .lastValue
    }

    /// Waits until everything is acknowledged, or a dead letter.
    private func waitForTheWork() async throws {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            if arguments.partitions > 0 {
                let lags = try await orders.partitions(arguments.partitions).lag(of: Orders.group).retry(100).firstValue
                let isDone = lags?.allSatisfy { $0.pending == 0 && $0.waiting == 0 } ?? false
                if try await progress().lost <= 0, isDone { return }
                continue
            }
            let pending = try await retried("XPENDING", orders.stream.key, Orders.group)
            if try await progress().lost <= 0, pending.elements?.first?.integer == 0 { return }
        }
    }

    /// Looks after the workers, and draws the progress on a terminal.
    private func watch() async {
        while isRunning {
            try? await Task.sleep(for: .milliseconds(100))
            if arguments.partitions > 0 {
                await watchPartitions()
                continue
            }
            // There is no group yet, or the connection has just been cut: the next time will do.
            guard let consumers = try? await orders.makeRequest("XINFO", "CONSUMERS", orders.stream.key, Orders.group),
                var now = try? await progress()
            else { continue }
            now.pending = consumers.elements?.map { $0.number(of: "pending") } ?? []
            report.withLock { $0.mostPending = max($0.mostPending, now.pending.max() ?? 0) }
            draw(now)
        }
    }

    private func draw(_ now: Report) {
        if isatty(2) != 0 { fputs("\r\(now.line(of: arguments.entries))\u{1B}[K", stderr) }
    }

    /// Looks who owns the partitions, and how far behind they are.
    private func watchPartitions() async {
        guard let lags = try? await orders.partitions(arguments.partitions).lag(of: Orders.group).firstValue,
            var now = try? await progress()
        else { return }
        let owners = Dictionary(lags.compactMap(\.owner).map { (String($0), 1) }, uniquingKeysWith: +)
        now.owned = owners.sorted { $0.key < $1.key }.map(\.value)
        now.withoutOwner = lags.count { $0.owner == nil }
        now.waiting = lags.reduce(0) { $0 + ($1.waiting ?? 0) + $1.pending }
        draw(now)
    }

    /// Runs a worker, and another one when it has been killed.
    private func keepRunning(_ name: String) async {
        while isRunning {
            let command = Command(
                "/proc/self/exe",
                arguments: ["--worker", name, "--redis", url, "--partitions", "\(arguments.partitions)"]
                    + (ledger.map { ["--ledger", $0] } ?? []),
                input: .publisher { Empty(completeImmediately: false) })
            do {
                for try await event in command.events().values(buffering: .onDemand) {
                    switch event {
                    case .started(let pid): pids.withLock { $0.append(pid) }
                    case .errors(let text): fputs(String(text), stderr)
                    case .output, .exited: break
                    }
                    if !isRunning { end() }
                }
            } catch {
                fputs("fleet: \(error)\n", stderr)
                return
            }
        }
    }

    private func repeatedly(every seconds: Double, _ body: @Sendable () async -> Void) async {
        if seconds <= 0 { return }
        var next = ContinuousClock.now + .seconds(seconds)
        while isRunning {
            try? await Task.sleep(for: .milliseconds(20))
            if ContinuousClock.now < next { continue }
            next += .seconds(seconds)
            await body()
        }
    }

    @Sendable private func killOne() async {
        let pid: Int32? = pids.withLock { pids in
            guard let place = pids.indices.randomElement() else { return nil }
            return pids.remove(at: place)
        }
        guard let pid else { return }
        kill(pid, SIGKILL)
        report.withLock { $0.kills += 1 }
    }

    @Sendable private func cutAll() async {
        _ = try? await orders.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
        report.withLock { $0.cuts += 1 }
    }

    @Sendable private func failOver() async {
        guard let replicated else { return }
        let kills = report.withLock { $0.failovers.killed <= $0.failovers.asked }
        guard await replicated.failOver(kills: kills) else { return }
        report.withLock { report in
            if kills { report.failovers.killed += 1 } else { report.failovers.asked += 1 }
        }
    }

    /// Kills the server, evenly over the time in which entries are added.
    private func crash() async {
        guard let server, arguments.crashes > 0 else { return }
        let pause = max(1, arguments.seconds / Double(arguments.crashes + 1))
        for _ in 0..<arguments.crashes where isRunning {
            try? await Task.sleep(for: .seconds(pause))
            await server.kill()
            report.withLock { $0.crashes += 1 }
            do {
                try await server.start()
            } catch {
                fputs("fleet: \(error)\n", stderr)
            }
        }
    }

    /// What can be counted at once.
    private func progress() async throws -> Report {
        var now = report.withLock { $0 }
        now.processed = try await number("HLEN", Orders.done)
        now.repeated = try await number("HGET", Orders.counts, Orders.Count.repeated)
        now.anew = try await number("HGET", Orders.counts, Orders.Count.anew)
        now.takenOver = try await number("HGET", Orders.counts, Orders.Count.takenOver)
        now.handedOver = try await number("HGET", Orders.counts, Orders.Count.handedOver)
        now.outOfOrder = try await number("HGET", Orders.counts, Orders.Count.outOfOrder)
        now.dead = Int(try await retried("XLEN", orders.failed.key).integer ?? 0)
        return now
    }

    /// What has become of each entry.
    private func count() async throws -> Report {
        var now = try await progress()
        let times = try await orders.ledger.command("HVALS", Orders.done).retry(100).firstValue?.elements ?? []
        now.repeated = times.reduce(0) { $0 + Int($1.integer ?? 0) } - times.count
        if arguments.partitions == 0 { now.withoutWork = try await countWithoutWork() }
        return now
    }

    /// How many entries of the stream nobody has worked on, now that all of them are acknowledged.
    private func countWithoutWork() async throws -> Int {
        let done = try await orders.ledger.command("HKEYS", Orders.done).retry(100).firstValue?.elements ?? []
        let dead = try await numbers(of: orders.failed)
        let known = Set(done.compactMap(\.bytes)).union(dead)
        return try await numbers(of: orders.stream).count { !known.contains($0) }
    }

    /// The numbers that entries of a stream have.
    private func numbers(of stream: RedisStream) async throws -> [Bytes] {
        try await stream.entries(from: .between(EntryID(0), EntryID(.max)))
            // A copy: the field is a part of the reply that it was read from.
            .map { Bytes(Array($0.fields["number"] ?? Bytes())) }
            .collect().firstValue ?? []
    }

    /// A number that the ledger has.
    private func number(_ arguments: Bytes...) async throws -> Int {
        Int(try await orders.ledger.command(arguments).retry(100).firstValue?.integer ?? 0)
    }

    /// A question that is asked again when its connection is cut.
    private func retried(_ arguments: Bytes...) async throws -> RedisValue {
        try await orders.redis.command(arguments).retry(100).firstValue ?? .null
    }
}

extension RedisValue {
    /// The number after a name, in facts that the server tells.
    fileprivate func number(of name: Bytes) -> Int {
        guard let facts = elements, let place = facts.firstIndex(where: { $0.bytes == name }), place + 1 < facts.count
        else { return 0 }
        return Int(facts[place + 1].integer ?? 0)
    }
}
