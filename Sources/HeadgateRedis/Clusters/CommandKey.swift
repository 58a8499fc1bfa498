extension RESPReader {
    /// Reads the first key of a command; `nil` if it has none.
    ///
    /// Where a command is not known here, that is its first argument: if it is not, the node that is asked names the right
    /// one.
    mutating func firstKey() -> Bytes? {
        guard let count = elements(), count > 1, let name = string() else { return nil }
        let word = String(name).uppercased()
        switch word {
        case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO": return keyAfterCount(count, skipping: 1)
        case "ZUNION", "ZINTER", "ZDIFF", "ZINTERCARD", "SINTERCARD", "LMPOP", "ZMPOP":
            return keyAfterCount(count, skipping: 0)
        case "BLMPOP", "BZMPOP": return keyAfterCount(count, skipping: 1)
        case "XREAD", "XREADGROUP":
            for _ in 2..<count where string().map({ String($0).uppercased() == "STREAMS" }) ?? true { return string() }
            return nil
        case "XGROUP", "XINFO", "OBJECT", "BITOP", "MEMORY":
            skip(1)
            return count > 2 ? string() : nil
        default: return Self.keyless.contains(word) ? nil : string()
        }
    }

    private mutating func keyAfterCount(_ count: Int, skipping words: Int) -> Bytes? {
        guard count > words + 2 else { return nil }
        skip(words)
        let number = string()?.decimal ?? 0
        return number > 0 && count > words + 2 ? string() : nil
    }

    private static let keyless: Set<String> = [
        "PING", "ECHO", "INFO", "TIME", "DBSIZE", "KEYS", "SCAN", "RANDOMKEY", "FLUSHALL", "FLUSHDB", "SCRIPT",
        "FUNCTION",
        "PUBLISH", "PUBSUB", "CLUSTER", "COMMAND", "CONFIG", "CLIENT", "ACL", "SLOWLOG", "LATENCY", "MODULE", "ROLE",
        "SAVE", "BGSAVE", "BGREWRITEAOF", "LASTSAVE", "DEBUG", "SHUTDOWN", "FAILOVER", "REPLICAOF", "SLAVEOF", "SWAPDB",
        "WAIT", "WAITAOF", "LOLWUT", "MULTI", "EXEC",
    ]
}

extension HashSlot {
    /// The slot of a command's first key.
    init(of arguments: [Bytes]) { self.init(ofEncoded: .command(arguments)) }

    /// The slot of the first key of a command in the protocol of the server.
    init(ofEncoded command: Bytes) {
        var reader = RESPReader(command)
        self = reader.firstKey().map { HashSlot(of: $0) } ?? .any
    }
}
