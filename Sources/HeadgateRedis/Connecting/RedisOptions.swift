/// How a ``Redis`` connects, how long it waits, and how often it tries again.
///
/// ```swift
/// var options = RedisOptions()
/// options.retrying = .constant(.seconds(1), retries: nil)
/// let redis = Redis("redis://127.0.0.1", options: options)
/// ```
public struct RedisOptions: Sendable {
    /// When to connect again after a connection was refused or lost, and to send again what the server refuses for a
    /// time; the count begins again with each answer of the server that is not a refusal.
    ///
    /// By default, streams go on for about ten minutes, in which a failover is over or a server has loaded its data; what
    /// happens is reported by ``Redis/events``.
    public var retrying = RetryPolicy.exponential(initial: .milliseconds(50), cap: .seconds(5), retries: 240)

    /// After how many of these attempts a command or a transaction fails.
    ///
    /// It is less than for a stream, because somebody waits for the reply: by default, it fails after about twelve
    /// seconds.
    public var commandRetries = 10

    /// How long opening a connection may take.
    public var connectingTime = Duration.seconds(10)

    /// How long a connection may make no progress while the server owes an answer.
    ///
    /// After that, the connection counts as lost. A large reply may take as long as it needs, and so may a large command.
    public var answeringTime = Duration.seconds(10)

    /// About how many bytes of entries are read at a time.
    ///
    /// The server counts entries, not bytes: a stream reads few at first, and more as their sizes allow. So if entries
    /// become much larger from one to the next, one read may be larger.
    public var readSize = 1 << 20

    /// How long an unused connection stays open.
    public var idleTime = Duration.seconds(5)

    /// The options of the sockets.
    public var socket = SocketOptions(keepAlive: KeepAlive(idle: 30, interval: 5, probes: 3))

    /// Creates options with the values above.
    public init() {}

    func check() {
        for (name, time) in [("connectingTime", connectingTime), ("answeringTime", answeringTime)] where time <= .zero {
            programmerError(
                rule: "The \(name) of a server is above zero.", found: "\(time)",
                remedy: "Pass a time that is longer than any pause of the server.")
        }
        require(
            readSize >= 1, rule: "The readSize of a server is at least one byte.", found: "\(readSize)",
            remedy: "Pass how many bytes a stream may hold that it has not delivered.")
        if commandRetries < 0 {
            programmerError(
                rule: "The commandRetries of a server can't be negative.", found: "\(commandRetries)",
                remedy: "Pass zero to let a command fail with the first connection that can't be opened.")
        }
        require(
            idleTime >= .zero, rule: "The idleTime of a connection is at least zero.", found: "\(idleTime)",
            remedy: "Pass .zero to close it when nothing is under way.")
    }
}

/// What happens to the connections of a ``Redis``.
public enum RedisEvent: Hashable, Sendable {
    /// A connection is open.
    case connected
    /// A connection was lost, or could not be opened.
    case lost(RedisError)
    /// The next attempt to connect is made after this time.
    case retrying(after: Duration)
    /// The policy allows no further attempt, or no attempt can succeed: the streams that need the connection fail.
    case failed(RedisError)
    /// A group or its key had vanished and was created again: entries may have been lost.
    case groupLost(stream: Bytes, group: Bytes)
    /// An entry that was pending has been deleted from its stream: it can't be delivered any more.
    case entryGone(stream: Bytes, id: EntryID)
    /// The stream that `entries(from:)` follows was deleted and created again: entries of the new one may have been
    /// skipped.
    case streamReplaced(Bytes)
    /// The server refused to renew the hold on entries: they may be delivered elsewhere. It is tried again.
    case renewalFailed(RedisError)
    /// An entry was worked on for longer than `longestWork` and is no longer held for its worker.
    case workTooLong(stream: Bytes, id: EntryID)
    /// An entry that was delivered too often can't be moved to the dead-letter stream, for the reason that the server
    /// gives.
    case notMoved(stream: Bytes, id: EntryID, String)
}
