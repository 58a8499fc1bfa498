import Headgate
import HeadgateCore
import HeadgateFlow

/// How far a group is behind in one partition, and who owns it.
public struct PartitionLag: Hashable, Sendable {
    /// The number of the partition.
    public let partition: Int

    /// How many entries have not been read yet; `nil` where the server does not know: before version 7, and after entries
    /// between have been deleted.
    public let waiting: Int?

    /// How many have been read and not acknowledged.
    public let pending: Int

    /// How long the oldest entry that has not been read has waited, by the time in its identifier; `nil` if there is
    /// none.
    public let age: Duration?

    /// The worker that owns the partition; `nil` if none does.
    public let owner: Bytes?

    /// Creates a lag, for a test.
    public init(partition: Int, waiting: Int?, pending: Int, age: Duration?, owner: Bytes?) {
        self.partition = partition
        self.waiting = waiting
        self.pending = pending
        self.age = age
        self.owner = owner
    }
}

extension RedisPartitions {
    /// Publishes how far a group is behind in each partition, and who owns it, repeatedly.
    ///
    /// ```
    /// lag   1-----1-----0---     every: the time between
    /// ```
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").partitions("orders", count: 64)
    /// let watching = orders.lag(of: "billing", every: .seconds(10))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { lags in
    ///         print(lags.prometheus(stream: "orders", group: "billing"))
    ///     })
    /// ```
    ///
    /// - **Demand**: the server is asked for each value that is requested, at most once in the time.
    /// - **Completion**: never finishes. Fails if the server refuses, and if there is no connection for longer than the
    ///   policy allows. Partitions without the group have no lag.
    /// - **Threads**: as for a command.
    /// - **Complexity**: a script on the server for each 256 partitions.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - time: How long to wait after an answer before the server is asked again. Less than a millisecond traps.
    public func lag(of group: Bytes, every time: Duration = .seconds(5)) -> AnyPublisher<[PartitionLag], RedisError> {
        redis.answers(every: time) { receive in ask(group, from: 0, [], receive) }
    }

    /// Asks for some partitions after the other.
    private func ask(
        _ group: Bytes, from first: Int, _ known: [PartitionLag],
        _ answer: @escaping Redis.Answer<[PartitionLag]>
    ) {
        let numbers = first..<min(count, first + PartitionTable.mostAtATime)
        redis.send(
            numbers.map { ($0, key($0)) },
            {
                PartitionScript.lag($0.flatMap { [$0.1, joined($0.1, ":lease:", group)] }, group)
            }
        ) { reply in
            switch reply {
            case .failure(let error), .lost(let error): answer(.failure(error))
            case .value(let value):
                guard let rows = value.elements, rows.count == numbers.count else {
                    let error = RedisError(.unexpected("\(value)"), command: "EVAL", address: redis.description)
                    return answer(.failure(error))
                }
                let all = known + zip(numbers, rows).map { PartitionLag($0, $1.elements ?? []) }
                if numbers.upperBound == count { return answer(.success(all)) }
                ask(group, from: numbers.upperBound, all, answer)
            }
        }
    }
}

extension PartitionLag {
    fileprivate init(_ partition: Int, _ facts: [RedisValue]) {
        let owner = facts.count > 3 ? facts[3].bytes ?? "" : ""
        let age = facts.count > 2 ? facts[2].integer ?? -1 : -1
        self.init(
            partition: partition, waiting: facts.first?.integer.map { Int($0) },
            pending: facts.count > 1 ? Int(facts[1].integer ?? 0) : 0, age: age < 0 ? nil : .milliseconds(age),
            owner: PartitionGroup.worker(in: owner))
    }
}

extension PartitionScript {
    /// How far a group is behind in partitions, by turns a stream and its lease.
    ///
    /// Returns for each how many entries have not been read, or nothing where the server does not know, how many are
    /// pending, the age of the oldest that has not been read in milliseconds, or -1, and what is in the lease.
    static func lag(_ keys: [Bytes], _ group: Bytes) -> [Bytes] { Script.run(lagging, keys, [group]) }

    private static let lagging: Bytes = """
        local time, result = redis.call('TIME'), {}
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        for i = 1, #KEYS, 2 do
          local row = {0, 0, -1, redis.call('GET', KEYS[i + 1]) or ''}
          local groups = redis.pcall('XINFO', 'GROUPS', KEYS[i])
          for _, facts in ipairs(groups.err and {} or groups) do
            local fact = {}
            for k = 1, #facts, 2 do fact[facts[k]] = facts[k + 1] end
            if fact.name == ARGV[1] then
              local last = fact['last-delivered-id']
              local rows = redis.call('XRANGE', KEYS[i], last, '+', 'COUNT', 2)
              local oldest = rows[1] and rows[1][1] ~= last and rows[1] or rows[2]
              row[1] = fact.lag or false
              row[2] = fact.pending
              if oldest then
                row[3] = math.max(0, now - tonumber(string.match(oldest[1], '^%d+')))
              else
                row[1] = 0
              end
            end
          end
          result[#result + 1] = row
        end
        return result
        """
}

extension Sequence<PartitionLag> {
    /// The numbers in the text format of Prometheus, version 0.0.4, to be appended to that of flows.
    ///
    /// ```swift
    /// let lags = [PartitionLag(partition: 3, waiting: 7, pending: 1, age: .seconds(2), owner: "host-7")]
    /// print(lags.prometheus(stream: "orders", group: "billing").split(separator: "\n")[2])
    /// // headgate_partition_waiting_entries{stream="orders",group="billing",partition="3"} 7
    /// ```
    ///
    /// - Parameters:
    ///   - stream: The name of the partitions, for the labels.
    ///   - group: The group, for the labels.
    public func prometheus(stream: String, group: String) -> String {
        let lags = Array(self)
        let labels = "stream=\"\(Flow.escaped(stream))\",group=\"\(Flow.escaped(group))\""
        return LagMetric.text(
            "headgate_partition",
            [
                LagMetric(name: "waiting_entries", help: "Entries that have not been read.") {
                    $0.waiting.map { "\($0)" }
                },
                LagMetric(name: "pending_entries", help: "Entries that have been read and not acknowledged.") {
                    "\($0.pending)"
                },
                LagMetric(name: "oldest_seconds", help: "Age of the oldest entry that has not been read.") {
                    "\(($0.age ?? .zero) / .seconds(1))"
                },
                LagMetric(name: "owned", help: "Whether a worker owns the partition.") { $0.owner == nil ? "0" : "1" },
            ],
            of: lags.map { ("\(labels),partition=\"\($0.partition)\"", $0) })
    }
}
