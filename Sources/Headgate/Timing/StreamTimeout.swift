/// Which time limit a stream has passed.
public enum StreamTimeout: Error, Hashable, Sendable, CaseIterable {
    /// The first value has not come in time.
    case first

    /// A value has not followed the one before in time.
    case between

    /// The whole stream has taken too long.
    case total
}

extension StreamTimeout: CustomStringConvertible {
    /// What has taken too long, in words.
    public var description: String {
        switch self {
        case .first: "the first value has not come in time"
        case .between: "the next value has not come in time"
        case .total: "the stream has taken too long"
        }
    }
}
