/// Why a stream or a command of Redis failed, with the command and the address, and never with a password.
///
/// ```swift
/// let none = Redis("no address").command("PING")
///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
/// // failure(PING at "no address": not a URL of the form redis://user:password@host:port/database)
/// ```
public struct RedisError: Error, Hashable, Sendable {
    /// What happened.
    public enum Reason: Hashable, Sendable {
        /// The address can't be used, with an explanation.
        case address(String)
        /// The connection could not be opened, or was lost with this error of the system.
        case system(SystemError)
        /// The server closed the connection.
        case closed
        /// The server did not answer in time.
        case timedOut(Duration)
        /// The server answered with an error: its own words, which begin with a code such as `WRONGTYPE`.
        case server(String)
        /// What was received is not what was expected: not the protocol of Redis, or not an answer to the command.
        case unexpected(String)
        /// The command is larger than a server accepts.
        case tooLarge(String)
        /// Messages arrived faster than they were requested, and `whenFull` is `.fail`.
        case overflow(Int)
        /// The group or its key has vanished, and `whenGroupIsLost` is `.fail`.
        case groupLost(String)
        /// The command would change the connection that all share, with what to use instead; it has not been sent.
        case refused(String)
        /// The sentinels know no master, or what they name is none yet.
        case noMaster(String)
        /// The nodes of a cluster do not tell which of them serves a slot, or none does.
        case noNode(String)
        /// The keys of a command, or of a transaction, are in different slots of a cluster.
        ///
        /// Keys with the same text in braces are in the same slot, such as `{orders}` and `{orders}-failed`.
        case differentSlots(String)
        /// The server refused the command, or an option of it, because it is older than what a stream needs.
        ///
        /// The version is the one that it has told, or `before 6.0` if it tells none.
        case tooOld(version: String, needed: String)
        /// The stream has another number of partitions than it was opened with.
        case partitionCount(stored: Int, asked: Int)
        /// Another process that is alive works in the group under this name.
        case workerInUse(String)
    }

    /// What happened.
    public let reason: Reason

    /// The name of the command, such as `XADD`, without its arguments; `nil` if there was none.
    public let command: String?

    /// The address of the server, without user and password.
    public let address: String

    package init(_ reason: Reason, command: String? = nil, address: String) {
        self.reason = reason
        self.command = command
        self.address = address
    }

    /// The first word of the server's answer, such as `NOAUTH`; `nil` for all other reasons.
    ///
    /// Servers before version 7 answer `ERR Error running script` where a script fails: the code is then that of the
    /// command in it.
    public var code: String? {
        guard case .server(let words) = reason else { return nil }
        if words.hasPrefix("ERR Error running script"), let mark = words.firstRange(of: ": -") {
            let code = words[mark.upperBound...].prefix { $0.isUppercase }
            if !code.isEmpty { return String(code) }
        }
        return String(words.prefix { $0 != " " })
    }

    func naming(_ command: String) -> RedisError {
        RedisError(reason, command: self.command ?? command, address: address)
    }
}

extension RedisError: CustomStringConvertible {
    /// The command, the address and the reason.
    public var description: String { "\(command.map { "\($0) at " } ?? "")\(address): \(reason)" }
}

extension RedisError.Reason: CustomStringConvertible {
    /// The reason as text.
    public var description: String {
        switch self {
        case .address(let explanation): explanation
        case .system(let error): "\(error)"
        case .closed: "the server closed the connection"
        case .timedOut(let time): "no answer within \(time)"
        case .server(let words): words + Self.advice(for: words)
        case .unexpected(let explanation): "not an answer of Redis: \(explanation)"
        case .tooLarge(let explanation): explanation
        case .overflow(let count): "more than \(count) messages that have not been requested"
        case .groupLost(let words): "the group is lost: \(words)"
        case .refused(let explanation): explanation
        case .noMaster(let explanation): "there is no master: \(explanation)"
        case .noNode(let explanation): "the cluster does not serve it: \(explanation)"
        case .differentSlots(let words):
            "\(words) (write the same text in braces into keys that are used together: {orders} and {orders}-failed)"
        case .tooOld(let version, let needed):
            "the server's version is \(version), and the command or an option of it needs \(needed) or later"
        case .partitionCount(let stored, let asked): "the stream has \(stored) partitions, not \(asked)"
        case .workerInUse(let name): "another process works in the group as \"\(name)\""
        }
    }

    private static func advice(for words: String) -> String {
        if words.hasPrefix("MOVED ") || words.hasPrefix("ASK ") {
            return " (this server is part of a cluster: write redis-cluster:// in place of redis://)"
        }
        if words.contains("cluster support disabled") {
            return " (this server is no node of a cluster: write redis:// in place of redis-cluster://)"
        }
        return ""
    }
}

extension RedisError {
    /// Whether the server may accept the same command later.
    var isTemporary: Bool {
        // A script needs a key of a slot that is moving.
        if case .server(let words) = reason, words.contains("non local key in a cluster node") { return true }
        switch code {
        case "LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "READONLY", "CLUSTERDOWN", "NOREPLICAS", "MISCONF":
            return true
        default: return false
        }
    }

    /// Whether a request is sent again later.
    ///
    /// A stream waits for memory, too, which its consumers make; somebody who waits for the reply to a command would not
    /// know why.
    func isTemporary(for request: Request) -> Bool {
        switch request.kind {
        // The others must not be sent without it.
        case .part: false
        case .command: isTemporary
        case .step, .repeated, .ordered: isTemporary || code == "OOM"
        }
    }

    /// Whether a connection, or a command that is sent over another one, may be accepted later, although this one was not.
    ///
    /// Each temporary refusal and each redirection is one of these.
    var isWorthAnotherConnection: Bool {
        switch reason {
        case .system, .closed, .timedOut, .noMaster, .noNode: true
        case .server(let words):
            isTemporary || isRedirection || code == "OOM" || words.contains("max number of clients")
        default: false
        }
    }

    /// Whether a group, or the key that it belongs to, does not exist.
    var isLostGroup: Bool {
        guard case .server(let words) = reason else { return false }
        // In front of it, older servers mention the script in which it occurred.
        return isUnblocked && words.contains("no longer exists") || words.contains("NOGROUP")
    }

    /// The failure of a stream whose group is lost, and is not to be created again.
    var ofLostGroup: RedisError {
        guard case .server(let words) = reason else { return self }
        return RedisError(.groupLost(words), command: command, address: address)
    }

    /// Whether the server has ended the waiting of a read: for a failover, because the key is gone, or because somebody
    /// has asked for it.
    var isUnblocked: Bool { code == "UNBLOCKED" }
}
