/// A message of a channel.
public struct RedisMessage: Hashable, Sendable {
    /// The channel.
    public let channel: Bytes

    /// The pattern that the channel's name matches; `nil` if the channel was subscribed to by its name.
    public let pattern: Bytes?

    /// What was published.
    public let payload: Bytes

    /// Creates a message, for a test.
    public init(channel: Bytes, pattern: Bytes? = nil, payload: Bytes) {
        self.channel = channel
        self.pattern = pattern
        self.payload = payload
    }
}

/// What arrives from channels.
public enum MessageEvent: Hashable, Sendable {
    /// A message.
    case message(RedisMessage)
    /// This number of messages has been dropped since the last time, because they had not been requested.
    case dropped(Int)
    /// The connection was lost, perhaps several times: messages may have been missed until it was open again.
    case interrupted(RedisError)
}

/// What happens to a message that has not been requested when there is no room for it.
public enum MessageOverflow: Hashable, Sendable {
    /// The oldest of this number of waiting messages is dropped.
    case dropOldest(Int)
    /// The new one is dropped when this number of messages waits.
    case dropNewest(Int)
    /// The stream fails when this number of messages waits and another arrives.
    case fail(Int)

    var room: Int {
        switch self {
        case .dropOldest(let room), .dropNewest(let room), .fail(let room): room
        }
    }
}

extension Redis {
    /// Publishes the messages of channels, each at most once.
    ///
    /// ```
    /// channel    --1--2--x     3--
    /// messages   --1--2--i-----3--     i: interrupted
    /// ```
    ///
    /// ```swift no-run
    /// let news = Redis("redis://127.0.0.1").messages(channels: ["news"], patterns: ["log.*"])
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// The server sends a message to those that listen at that moment, and does not store it. For messages that must
    /// arrive, use a ``RedisStream``.
    ///
    /// - **Demand**: listening begins with the first request. A message that is not requested waits if there is room;
    ///   `whenFull` decides about one more. Dropped messages are counted, and their number comes
    ///   before the next message.
    /// - **Completion**: never finishes. Fails if the server refuses, if there is no connection for longer than the
    ///   policy allows, with `whenFull: .fail` when there is no room, and with `failsWhenInterrupted` when the
    ///   connection is lost.
    /// - **Threads**: a message is delivered on the queue of the connection, and one that has waited on the thread that
    ///   requests it.
    /// - **Complexity**: a connection of its own.
    ///
    /// - Parameters:
    ///   - channels: The names of channels. Without any channel or pattern, it traps.
    ///   - patterns: Patterns of names of channels, such as `log.*`.
    ///   - whenFull: What happens to a message that is not requested. Negative room traps.
    ///   - failsWhenInterrupted: Whether a lost connection is a failure instead of a value.
    public func messages(
        channels: [Bytes] = [], patterns: [Bytes] = [], whenFull: MessageOverflow = .dropOldest(1_000),
        failsWhenInterrupted: Bool = false
    ) -> AnyPublisher<MessageEvent, RedisError> {
        if channels.isEmpty && patterns.isEmpty {
            programmerError(
                rule: "Messages come from channels.", found: "no channel and no pattern",
                remedy: "Pass the name of a channel, or a pattern.")
        }
        if whenFull.room < 0 {
            programmerError(
                rule: "The room for messages is a number and can't be negative.", found: "\(whenFull)",
                remedy: "Pass zero to keep no message that is not requested.")
        }
        return Publishers.emitter(MessageEvent.self, failure: RedisError.self, buffering: .unbounded) { emitter in
            MessageSource(emitter, whenFull, failsWhenInterrupted, self.description)
                .start(self, channels, patterns)
        }
        .eraseToAnyPublisher()
    }
}
