import Dispatch
@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// One worker of partitions, which writes down what happens to it: the tests start several, and kill them.
///
/// `PartitionProbe URL NAME COUNT LEASE-MILLISECONDS FILE [FAULT…]`
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let count = Int(arguments[3]), let lease = Int(arguments[4]) else {
            print("usage: PartitionProbe URL NAME COUNT LEASE-MILLISECONDS FILE [FAULT...]")
            exit(2)
        }
        // Its input ends with the process that has started it, however that ends.
        let parent = File.standardInput.bytes().sink(receiveCompletion: { _ in exit(0) }, receiveValue: { _ in })
        defer { parent.cancel() }
        var options = RedisOptions()
        options.retrying = .exponential(initial: .milliseconds(5), cap: .milliseconds(100), retries: nil)
        options.answeringTime = .seconds(3)
        let probe = Probe(
            Redis(arguments[1], options: options), arguments[2], count, .milliseconds(lease), Log(arguments[5]),
            Set(arguments.dropFirst(6)))
        try await probe.run()
    }
}

/// A file that lines are appended to, each by one call: what was written survives the process.
final class Log: Sendable {
    private let descriptor: Int32

    init(_ path: String) { descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644) }

    /// Nanoseconds of the clock that all processes have in common.
    static var time: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    func write(_ kind: String, _ rest: String, at time: Int = Log.time) {
        let line = "\(kind) \(time) \(rest)\n"
        _ = line.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    }
}

struct Probe: Sendable {
    let redis: Redis
    let partitions: RedisPartitions
    let name: String
    let lease: Duration
    let log: Log
    /// What is done wrongly on purpose.
    let faults: Set<String>
    private let tokens: Tokens

    init(_ redis: Redis, _ name: String, _ count: Int, _ lease: Duration, _ log: Log, _ faults: Set<String>) {
        self.redis = redis
        partitions = redis.partitions("run", count: count)
        self.name = name
        self.lease = lease
        self.log = log
        self.faults = faults
        tokens = Tokens()
    }

    private func line(_ delivery: Delivery) -> String {
        "\(name) \(delivery.partition ?? -1) \(delivery.token ?? -1) \(delivery.id.milliseconds)"
    }

    func run() async throws {
        let shutdown = GracefulShutdown(
            on: Signals.publisher(for: .terminate), deadline: faults.contains("impatient") ? .zero : .seconds(60))
        let watching = partitions.events.sink { note($0) }
        defer { watching.cancel() }
        log.write("S", name)
        let limit = faults.contains("impatient") ? Duration.zero : .seconds(60)
        let handed =
            partitions.deliveries(
                group: "g", worker: Bytes(name), lease: lease, deliveries: .atMost(12, then: redis.stream("dead")),
                ordering: faults.contains("hasty") ? .asRead : .byKey,
                whenWorkFails: faults.contains("carefree") ? .goOn : .holdBack, retryingAfter: .milliseconds(30),
                handingOverWithin: limit
            )
            .stopped(by: shutdown.stop)
            .handleEvents(receiveOutput: { delivery in
                // The time comes first: a process can be stopped at any place.
                let time = Log.time
                log.write(delivery.isHeld ? "H" : "h", line(delivery), at: time)
            })
            .mapError { $0 as any Error }
        let worked = handed.asyncMap(maxConcurrent: 16, ordered: false) { delivery -> Delivery? in
            try? await Task.sleep(for: .milliseconds(delivery.fields["slow"] == nil ? Int.random(in: 0...4) : 40))
            if delivery.fields["poison"] != nil {
                log.write("F", line(delivery))
                return nil
            }
            log.write("W", line(delivery))
            log.write("Q", line(delivery))
            return delivery
        }
        .compactMap { $0 }
        .handleEvents(receiveOutput: { tokens.keep($0.id, line($0)) })
        if faults.contains("unfenced") {
            for try await delivery in worked.values(buffering: .onDemand) {
                let stream = partitions.stream(delivery.partition ?? 0).key
                _ = try await redis.command("XACK", stream, "g", delivery.id.description.bytes).retry(100).firstValue
                log.write("K", line(delivery))
            }
        } else {
            let ending = worked.acknowledge(batch: 8, within: .milliseconds(1)).underWay(in: shutdown)
            for try await id in ending.values(buffering: .onDemand) {
                if let line = tokens.take(id) { log.write("K", line) }
            }
        }
        _ = await shutdown.ending()
        // What has been given up is on its way to the server.
        try? await Task.sleep(for: .milliseconds(50))
        exit(0)
    }

    private func note(_ event: PartitionEvent) {
        switch event.what {
        case .owned(let partition, let token):
            tokens.own(partition, token)
            log.write("O", "\(name) \(partition) \(token)")
        case .handedOver(let partition, _, _), .lost(let partition, _):
            if let token = tokens.owned(partition) { log.write("U", "\(name) \(partition) \(token)") }
        case .withoutOwner, .failed, .notAcknowledged, .movedAway: break
        }
    }
}

extension String {
    fileprivate var bytes: Bytes { Bytes(self) }
}

/// What the lines of an entry, and of a partition's owner, are made of: its identifier tells no more.
private final class Tokens: Sendable {
    private let lines = Mutex<[EntryID: String]>([:])
    private let tokens = Mutex<[Int: Int64]>([:])

    func keep(_ id: EntryID, _ line: String) { lines.withLock { $0[id] = line } }

    func take(_ id: EntryID) -> String? { lines.withLock { $0.removeValue(forKey: id) } }

    func own(_ partition: Int, _ token: Int64) { tokens.withLock { $0[partition] = token } }

    func owned(_ partition: Int) -> Int64? { tokens.withLock { $0[partition] } }
}
