/// What a worker of partitions has been told, and the keys of its group.
struct PartitionGroup: Sendable {
    let partitions: RedisPartitions
    let group: Bytes
    let worker: Bytes
    let start: GroupStart
    let lease: Duration
    let limit: DeliveryLimit
    let ordering: PartitionOrdering
    let whenWorkFails: FailedWorkPolicy
    let retryingAfter: Duration
    let handingOverWithin: Duration
    let whenGroupIsLost: LostGroupPolicy
    let whenPartitionFails: FailedPartitionPolicy

    /// Tells this membership from any other under the same name.
    let instance = Bytes("\(UInt64.random(in: 0...(.max)))")

    /// What is pending in a partition belongs to its owner, whoever that is.
    static let consumer: Bytes = "owner"

    /// How many entries whose keys are held back a partition is read to.
    static let mostHeldBack = 128
}

extension PartitionGroup {
    /// The worker of a lease; nothing if there is none.
    static func worker(in lease: Bytes) -> Bytes? {
        let parts = lease.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? Bytes(parts[2]) : nil
    }

    /// The partition that has a key.
    func partition(at key: Bytes) -> Int? {
        let digits = key.dropFirst(partitions.name.count + 2).dropLast()
        guard let number = digits.decimal, partitions.key(Int(number)) == key else { return nil }
        return Int(number)
    }

    var leaseTime: Bytes { Bytes("\(lease.wholeMilliseconds)") }

    /// What follows the token in a lease of this worker's.
    var suffix: Bytes { partitions.joined(" ", instance, " ", worker) }

    func value(of lease: PartitionLease) -> Bytes { partitions.joined(lease.tokenBytes, suffix) }

    func leaseKey(_ partition: Int) -> Bytes { partitions.joined(partitions.key(partition), ":lease:", group) }

    /// The keys of a partition: its lease, who had it last, and the stream.
    func keys(of partition: Int) -> [Bytes] {
        let key = partitions.key(partition)
        return [leaseKey(partition), partitions.joined(key, ":last:", group), key]
    }

    /// The stream to which entries of a partition are moved: on a cluster, one in the partition's own slot.
    func deadLetterKey(_ rest: RedisStream, _ partition: Int) -> Bytes {
        rest.redis.cluster == nil ? rest.key : partitions.joined(rest.key, Bytes(":{\(partition)}"))
    }

    /// What keeps the keys of a partition from being in one slot of a cluster.
    var problem: RedisError? {
        if partitions.redis.cluster == nil { return nil }
        var keys = keys(of: 0)
        if case .atMost(_, let rest) = limit { keys.append(deadLetterKey(rest, 0)) }
        if Set(keys.map { HashSlot(of: $0) }).count == 1 { return nil }
        let words = "the keys of a partition are in different slots, because a name has braces of its own"
        return partitions.redis.error(.differentSlots(words), "XREADGROUP")
    }

    var membersKey: Bytes { partitions.joined(partitions.countKey, ":workers:", group) }
    var planKey: Bytes { partitions.joined(partitions.countKey, ":plan:", group) }

    /// The length of the group's name tells it from another that begins with the same bytes.
    var livePrefix: Bytes { partitions.joined(partitions.countKey, Bytes(":live:\(group.count):"), group, ":") }
    var bellPrefix: Bytes { partitions.joined(partitions.countKey, Bytes(":bell:\(group.count):"), group, ":") }
    var bellKey: Bytes { bellKey(of: worker) }
    func bellKey(of worker: Bytes) -> Bytes { partitions.joined(bellPrefix, worker) }
}
