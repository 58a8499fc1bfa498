import Dispatch
@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// What the fleet has come to.
struct Report {
    var added = 0
    var processed = 0
    var repeated = 0
    var dead = 0
    var takenOver = 0
    var kills = 0
    var cuts = 0
    var crashes = 0

    var lost: Int { added - processed - dead }

    var text: String {
        """
        workers killed     \(kills)
        connections cut    \(cuts)
        server killed      \(crashes)
        taken over         \(takenOver)
        dead letters       \(dead)
        \(added) added, \(processed) processed at least once, \(repeated) repeated, \(lost) lost
        """
    }
}

/// Adds entries, keeps workers running, and disturbs them.
final class Fleet: Sendable {
    private let arguments: Arguments
    private let orders: Orders
    private let url: String
    private let server: Server?
    private let isOver = Mutex(false)
    private let pids = Mutex<[Int32]>([])
    private let report = Mutex(Report())

    /// How the entries are added.
    let flow = Flow("fleet")

    init(_ arguments: Arguments, _ url: String, _ server: Server?) {
        self.arguments = arguments
        self.url = url
        self.server = server
        orders = Orders(url)
    }

    func run() async throws -> Report {
        _ = try await orders.ask("DEL", "fleet:orders", "fleet:failed", Orders.done, Orders.counts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<arguments.workers { group.addTask { await self.keepRunning("worker-\(number)") } }
            group.addTask {
                await self.repeatedly(every: self.arguments.kills > 0 ? 1 / self.arguments.kills : 0, self.killOne)
            }
            group.addTask { await self.repeatedly(every: self.arguments.cut, self.cutAll) }
            group.addTask { await self.crash() }
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
        let adding =
            numbers
            .map { number -> EntryFields in
                let fields: EntryFields = ["number": Bytes("\(number)"), "customer": Bytes("\(number % 1_000)")]
                return number < arguments.poison ? EntryFields(fields.pairs + [("poison", "yes")]) : fields
            }
            .stage("orders", in: flow)
            .add(to: orders.stream, id: { EntryID(UInt64($0.text("number") ?? "0")! + 1) })
            .stage("added", in: flow)
            .handleEvents(receiveOutput: { _ in self.report.withLock { $0.added += 1 } })
        _ = try await adding.lastValue
    }

    /// Waits until everything is acknowledged, or a dead letter.
    private func waitForTheWork() async throws {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            let now = try await count()
            draw(now)
            if now.lost <= 0, try await pending() == 0 { return }
        }
    }

    private func pending() async throws -> Int {
        let pending = try? await orders.ask("XPENDING", orders.stream.key, Orders.group)
        return Int(pending?.elements?.first?.integer ?? -1)
    }

    /// Runs a worker, and another one when it has been killed.
    private func keepRunning(_ name: String) async {
        while isRunning {
            let command = Command(
                "/proc/self/exe", "--worker", name, "--redis", url,
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
        _ = try? await orders.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
        report.withLock { $0.cuts += 1 }
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

    private func count() async throws -> Report {
        var now = report.withLock { $0 }
        let values = try await retried("HVALS", Orders.done).elements ?? []
        now.processed = values.count
        now.repeated = values.reduce(0) { $0 + Int($1.integer ?? 0) } - values.count
        now.dead = Int(try await retried("XLEN", orders.failed.key).integer ?? 0)
        now.takenOver = Int(try await retried("HGET", Orders.counts, "taken over").integer ?? 0)
        return now
    }

    /// A question that is asked again when its connection is cut.
    private func retried(_ arguments: Bytes...) async throws -> RedisValue {
        try await orders.redis.command(arguments).retry(100).firstValue ?? .null
    }

    /// Draws the progress on a terminal.
    private func draw(_ now: Report) {
        if isatty(2) == 0 { return }
        let width = 40
        let full = now.processed * width / max(1, arguments.entries)
        let bar = String(repeating: "█", count: full) + String(repeating: "·", count: width - full)
        fputs(
            "\r\(bar) \(now.processed) of \(now.added), \(now.takenOver) taken over, \(now.dead) dead letters ", stderr)
    }
}
