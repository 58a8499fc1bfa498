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
        let keys = numbers.map { [key($0), joined(key($0), ":lease:", group)] }
        redis.send(keys, { PartitionScript.lag($0, group) }) { reply in
            switch reply {
            case .failure(let error): answer(.failure(error))
            case .success(let value):
                let rows = value.elements ?? []
                let some = zip(numbers, rows).compactMap { PartitionLag($0, $1.elements ?? []) }
                if some.count < numbers.count {
                    return answer(.failure(redis.error(.unexpected("\(value)"), "EVAL")))
                }
                if numbers.upperBound == count { return answer(.success(known + some)) }
                ask(group, from: numbers.upperBound, known + some, answer)
            }
        }
    }
}

extension PartitionLag {
    fileprivate init?(_ partition: Int, _ facts: [RedisValue]) {
        guard facts.count == 5, let lag = GroupLag(facts) else { return nil }
        self.init(
            partition: partition, waiting: lag.waiting, pending: lag.pending, age: lag.age,
            owner: PartitionGroup.worker(in: facts[4].bytes ?? ""))
    }
}

extension PartitionScript {
    /// How far a group is behind in partitions, of each a stream and its lease.
    ///
    /// Returns for each what is told of a stream's group, or zeros if there is none, and what is in the lease.
    static func lag(_ keys: [[Bytes]], _ group: Bytes) -> [Bytes] { lagging.run(keys.flatMap(\.self), [group]) }

    private static let lagging: Script = """
        \(Script.lagging)
        local result = {}
        for i = 1, #KEYS, 2 do
          local groups = redis.pcall('XINFO', 'GROUPS', KEYS[i])
          local row = lag(groups.err and {} or groups, KEYS[i], ARGV[1]) or {0, 0, 0, -1}
          row[5] = redis.call('GET', KEYS[i + 1]) or ''
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
        let labels = "stream=\"\(Flow.escaped(stream))\",group=\"\(Flow.escaped(group))\""
        return GroupLag.gauges(
            "headgate_partition", of: "read", ("owned", "Whether a worker owns the partition."),
            map {
                let lag = GroupLag(waiting: $0.waiting, pending: $0.pending, consumers: 1, age: $0.age)
                return ("\(labels),partition=\"\($0.partition)\"", lag, $0.owner == nil ? 0 : 1)
            })
    }
}
