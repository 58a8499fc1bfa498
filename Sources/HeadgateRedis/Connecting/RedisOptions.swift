/// How a ``Redis`` connects, and how patient it is.
///
/// ```swift
/// var options = RedisOptions()
/// options.retrying = .constant(.seconds(1), retries: nil)
/// let redis = Redis("redis://127.0.0.1", options: options)
/// ```
public struct RedisOptions: Sendable {
    /// When to connect again after a connection was refused or lost; the count begins again with each answer of the
    /// server.
    public var retrying = RetryPolicy.exponential(initial: .milliseconds(50), cap: .seconds(5), retries: 10)

    /// How long opening a connection may take.
    public var connectingTime = Duration.seconds(10)

    /// How long the server may take to answer; after that, the connection counts as lost.
    public var answeringTime = Duration.seconds(10)

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
        if idleTime < .zero {
            programmerError(
                rule: "The idleTime of a connection is at least zero.", found: "\(idleTime)",
                remedy: "Pass .zero to close it when nothing is under way.")
        }
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
    /// The policy allows no further attempt, or none is of use: the streams that need the connection fail.
    case failed(RedisError)
    /// A group or its key had vanished and was created again: entries may have been lost.
    case groupLost(stream: Bytes, group: Bytes)
    /// An entry that was pending has been deleted from its stream: it can't be delivered any more.
    case entryGone(stream: Bytes, id: EntryID)
}
