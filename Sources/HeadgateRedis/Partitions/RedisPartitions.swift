/// A stream that is spread over several, its partitions, by a key in each entry.
///
/// ```swift
/// let orders = Redis("redis://127.0.0.1").partitions("orders", count: 64)
/// print(orders.partition(of: "customer-7"), String(orders.stream(3).key))
/// // 29 orders:{3}
/// ```
///
/// Entries with the same key are in the same partition, in the order in which they were added. A group's workers share
/// the partitions among themselves; each partition has one owner at a time.
///
/// The partition of a key is its CRC-16/XMODEM (polynomial 0x1021, beginning with zero, the hash of slots in a cluster of
/// Redis), modulo the number of partitions. That never changes. Programs in other languages that add entries compute
/// the same, and write the key into the field `headgate-key`:
///
/// | key | bytes | hash | of 8 | of 64 | of 1,024 |
/// | --- | --- | ---: | ---: | ---: | ---: |
/// | (empty) | | 0 | 0 | 0 | 0 |
/// | `a` | 61 | 31879 | 7 | 7 | 135 |
/// | `orders` | 6f 72 64 65 72 73 | 105 | 1 | 41 | 105 |
/// | `123456789` | 31 … 39 | 12739 | 3 | 3 | 451 |
/// | `customer-7` | 63 … 37 | 56413 | 5 | 29 | 93 |
/// | `Zoë` | 5a 6f c3 ab | 60748 | 4 | 12 | 332 |
/// | `日本` | e6 97 a5 e6 9c ac | 10949 | 5 | 5 | 709 |
///
/// The number of partitions is stored under `orders:{partitions}` by whoever opens them first, and is never changed
/// after that: streams with another number fail, and name both.
public struct RedisPartitions: Sendable {
    /// The server.
    public let redis: Redis

    /// The name, with which the keys of the partitions begin.
    public let name: Bytes

    /// The number of partitions.
    public let count: Int

    /// The field of an entry in which its key is.
    public static let keyField: Bytes = "headgate-key"

    /// The most partitions that a hash of two bytes can reach.
    static let most = 1 << 16

    init(_ redis: Redis, _ name: Bytes, _ count: Int) {
        if count < 1 || count > Self.most {
            programmerError(
                rule: "A stream has from one to \(Self.most) partitions.", found: "count: \(count)",
                remedy: "Pass several times as many as there will ever be workers, such as 64: it can't be changed.")
        }
        self.redis = redis
        self.name = name
        self.count = count
    }

    /// The partition in which the entries with a key are.
    public func partition(of key: Bytes) -> Int { Int(KeyHash.value(of: key)) % count }

    /// The stream that is a partition.
    ///
    /// A number below zero, and one that is not below the count, trap.
    public func stream(_ partition: Int) -> RedisStream {
        if partition < 0 || partition >= count {
            programmerError(
                rule: "Partitions have the numbers from 0 to \(count - 1).", found: "\(partition)",
                remedy: "Pass one of these.")
        }
        return redis.stream(key(partition))
    }

    /// What happens to the partitions in this process, from whichever value it is asked for.
    var hub: PartitionHub { redis.hub(for: name) }
}

/// The keys: those of a partition live on one node of a cluster, and so do those that are about all of them.
extension RedisPartitions {
    func key(_ partition: Int) -> Bytes { joined(name, Bytes(":{\(partition)}")) }

    /// Where the number of partitions is.
    var countKey: Bytes { joined(name, ":{partitions}") }

    func joined(_ pieces: Bytes...) -> Bytes { Bytes(joining: pieces, count: pieces.reduce(0) { $0 + $1.count }) }
}

extension Redis {
    /// A stream that is spread over partitions, which need not exist.
    ///
    /// - Parameters:
    ///   - name: The name, with which the keys of the partitions begin: `orders:{0}`, `orders:{1}` and so on.
    ///   - count: The number of partitions, the same for everybody and for ever: several times as many as there will be
    ///     workers. Less than one and more than 65,536 trap.
    public func partitions(_ name: Bytes, count: Int) -> RedisPartitions { RedisPartitions(self, name, count) }
}

/// Where an entry is: its partition, and its identifier there.
///
/// ```swift
/// print(PartitionEntryID(partition: 3, id: EntryID(7, 1)))
/// // 3/7-1
/// ```
public struct PartitionEntryID: Hashable, Sendable {
    /// The number of the partition.
    public let partition: Int

    /// The identifier in the stream of that partition.
    public let id: EntryID

    /// Creates a place.
    public init(partition: Int, id: EntryID) {
        self.partition = partition
        self.id = id
    }
}

extension PartitionEntryID: CustomStringConvertible {
    /// The partition and the identifier.
    public var description: String { "\(partition)/\(id)" }
}
