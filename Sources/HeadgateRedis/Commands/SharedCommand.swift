/// Whether a command may be sent on the connection that all share.
enum CommandPlace: Equatable {
    case shared
    /// It waits at the server: all others would wait behind it.
    case own
    /// It would change what the connection is to those that use it, with what to use instead.
    case refused(String)

    init(_ arguments: [Bytes], isCluster: Bool) {
        let words = arguments.prefix(2).map { String($0).uppercased() }
        switch words[0] {
        case "SELECT": self = .refused("write the database into the URL: redis://host/1")
        case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE":
            self = .refused("use messages(channels:patterns:)")
        case "MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH": self = .refused("use transaction(_:), or EVAL")
        case "AUTH", "HELLO": self = .refused("write the user and the password into the URL")
        case "MONITOR", "SYNC", "PSYNC", "REPLCONF", "RESET", "QUIT", "READONLY", "READWRITE", "ASKING":
            self = .refused("use another client for it")
        case "CLIENT" where words.count > 1 && Self.clientState.contains(words[1]):
            self = .refused("use another client for it")
        case "WAIT" where isCluster, "WAITAOF" where isCluster:
            self = .refused("it is about one connection, and a cluster has one to each node: use min-replicas-to-write")
        case "BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP": self = .own
        case "XREAD", "XREADGROUP":
            self = arguments.contains { String($0).uppercased() == "BLOCK" } ? .own : .shared
        default: self = .shared
        }
    }

    private static let clientState = ["REPLY", "TRACKING", "CACHING", "SETNAME", "NO-TOUCH", "NO-EVICT"]
}
