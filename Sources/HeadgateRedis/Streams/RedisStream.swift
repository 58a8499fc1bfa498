/// A stream of entries under one key.
///
/// One key lives on one server, or on one node of a cluster; to spread a stream over several, use partitions.
public struct RedisStream: Sendable {
    /// The server.
    public let redis: Redis

    /// The key.
    public let key: Bytes
}

extension Redis {
    /// A stream of entries under a key, which need not exist.
    public func stream(_ key: Bytes) -> RedisStream { RedisStream(redis: self, key: key) }
}

/// How many entries of a stream are kept when one is added.
public enum StreamTrimming: Hashable, Sendable {
    /// All.
    case none
    /// About the newest, at least this number of them: far cheaper than an exact number.
    case toAbout(Int)
    /// This number of the newest.
    case toExactly(Int)
    /// About those with this identifier or later, at least these.
    case toAboutSince(EntryID)

    var arguments: [Bytes] {
        switch self {
        case .none: []
        case .toAbout(let count): ["MAXLEN", "~", Bytes("\(count)")]
        case .toExactly(let count): ["MAXLEN", "=", Bytes("\(count)")]
        case .toAboutSince(let id): ["MINID", "~", id.bytes]
        }
    }
}
