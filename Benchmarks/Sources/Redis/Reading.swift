import HeadgateRedis

/// Replies that are read and nothing else: what the parser takes, and the socket.
extension Streaming {
    /// Reads strings of 64 KiB.
    func readBulk(_ count: Int) {
        let value = Bytes(String(repeating: "x", count: 1 << 16))
        wait(for: redis.command("SET", "bulk", value), 1)
        let reading = (0..<count).publisher.setFailureType(to: RedisError.self)
            .flatMap(maxPublishers: .max(1)) { _ in redis.command("GET", "bulk") }
        wait(for: reading, count)
    }

    /// Reads entries of two fields, 1,000 in a reply; the number is a multiple of that.
    func readEntries(_ count: Int) {
        addEntries()
        let reading = (0..<(count / 1_000)).publisher.setFailureType(to: RedisError.self)
            .flatMap(maxPublishers: .max(1)) { _ in redis.command("XRANGE", "entries", "-", "+") }
        wait(for: reading, count / 1_000)
    }

    /// Reads the same as a stream, from its beginning once more for each 1,000.
    func readStream(_ count: Int) {
        addEntries()
        let stream = redis.stream("entries")
        let reading = (0..<(count / 1_000)).publisher.setFailureType(to: RedisError.self)
            .flatMap(maxPublishers: .max(1)) { _ in
                stream.entries(from: .between(EntryID(0), EntryID(.max))).prefix(1_000)
            }
        wait(for: reading, count)
    }

    private func addEntries() {
        let fields: EntryFields = ["item": "tea", "customer": "1234"]
        wait(for: redis.command("DEL", "entries"), 1)
        wait(for: (0..<1_000).publisher.map { _ in fields }.add(to: redis.stream("entries")), 1_000)
    }
}
