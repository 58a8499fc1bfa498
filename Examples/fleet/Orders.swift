import HeadgateRedis

/// The keys that the fleet uses, and what is worked on.
struct Orders: Sendable {
    static let group: Bytes = "fleet"

    /// After this time, what a killed worker held is taken over.
    static let takeOverAfter = Duration.milliseconds(500)

    /// How often an entry is tried before it becomes a dead letter.
    static let mostDeliveries = 10

    let redis: Redis

    /// The server on which the work is recorded: not the one that fails over, which may lose what its replica lacks.
    let ledger: Redis

    /// - Parameter ledger: The server on which the work is recorded, if it is another one.
    init(_ url: String, ledger: String? = nil) {
        redis = Redis(url, options: Self.options)
        self.ledger = ledger.map { Redis($0, options: Self.options) } ?? redis
    }

    static let options = {
        var options = RedisOptions()
        options.retrying = .exponential(initial: .milliseconds(10), cap: .milliseconds(200), retries: 200)
        return options
    }()

    static let streamKey: Bytes = "fleet:orders"

    /// The stream of entries, if it is spread over partitions.
    func partitions(_ count: Int) -> RedisPartitions { redis.partitions("fleet:parts", count: count) }

    /// The stream of entries.
    var stream: RedisStream { redis.stream(Self.streamKey) }

    /// The stream of those on which work always failed.
    var failed: RedisStream { redis.stream("fleet:failed") }

    /// After this time, partitions of a killed worker have other owners.
    static let lease = Duration.seconds(1)

    /// The last entry of each customer that was worked on.
    static let newest: Bytes = "fleet:newest"

    /// How often each entry was worked on.
    static let done: Bytes = "fleet:done"

    /// What the workers count.
    static let counts: Bytes = "fleet:counts"

    enum Count {
        /// Entries that another worker had held.
        static let takenOver: Bytes = "taken over"
        /// Work that was done before.
        static let repeated: Bytes = "repeated"
        /// Work that was done before on an entry that is delivered for the first time.
        static let anew: Bytes = "anew"
        /// New entries that were not delivered in the order of the stream, or of their customer.
        static let outOfOrder: Bytes = "out of order"
        /// Partitions that a worker has passed on.
        static let handedOver: Bytes = "handed over"
    }

    func makeRequest(_ arguments: Bytes...) async throws -> RedisValue {
        try await redis.command(arguments).firstValue ?? .null
    }

    /// Has the ledger do something.
    func record(_ arguments: Bytes...) async throws -> RedisValue {
        try await ledger.command(arguments).firstValue ?? .null
    }

    /// Counts something.
    func count(_ what: Bytes) async throws { _ = try await record("HINCRBY", Orders.counts, what, "1") }
}
