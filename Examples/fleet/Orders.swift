import HeadgateRedis

/// The keys that the fleet uses, and what is worked on.
struct Orders: Sendable {
    static let group: Bytes = "fleet"

    /// After this time, what a killed worker held is taken over.
    static let takeOverAfter = Duration.milliseconds(500)

    /// How often an entry is tried before it becomes a dead letter.
    static let mostDeliveries = 10

    let redis: Redis

    init(_ url: String) {
        var options = RedisOptions()
        options.retrying = .exponential(initial: .milliseconds(10), cap: .milliseconds(200), retries: 200)
        redis = Redis(url, options: options)
    }

    /// The stream of entries.
    var stream: RedisStream { redis.stream("fleet:orders") }

    /// The stream of those on which work always failed.
    var failed: RedisStream { redis.stream("fleet:failed") }

    /// How often each entry was worked on.
    static let done: Bytes = "fleet:done"

    /// How many deliveries were repeated, and how many of those were taken over.
    static let counts: Bytes = "fleet:counts"

    func ask(_ arguments: Bytes...) async throws -> RedisValue {
        try await redis.command(arguments).firstValue ?? .null
    }

    func number(_ arguments: Bytes...) async throws -> Int {
        Int(try await redis.command(arguments).firstValue?.integer ?? 0)
    }
}
