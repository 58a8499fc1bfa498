import HeadgateEngine

/// The time limit that a stream has exceeded.
public enum StreamTimeout: Error, Hashable, Sendable, CaseIterable {
    /// The first value was late.
    case first

    /// A value did not follow the previous one in time.
    case between

    /// The whole stream took too long.
    case total
}

/// Which time counts for a time limit of values.
public enum CountedTime: Hashable, Sendable {
    /// All time, whether or not values are requested.
    case always

    /// The time in which values are requested and have not arrived: the time that a slow subscriber takes doesn't
    /// count.
    case whileRequested
}

extension StreamTimeout: CustomStringConvertible {
    /// What has taken too long, as text.
    public var description: String {
        switch self {
        case .first: "the first value has not come in time"
        case .between: "the next value has not come in time"
        case .total: "the stream has taken too long"
        }
    }
}

extension StreamTimeout: TimeLimit {}
