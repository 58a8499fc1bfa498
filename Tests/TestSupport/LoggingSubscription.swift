import HeadgateCore

/// A subscription that writes down what it is told, and does nothing else.
public final class LoggingSubscription: Subscription, CustomStringConvertible {
    /// What it was told, in words.
    public private(set) var calls: [String] = []

    /// What to do at each call, apart from writing it down.
    public var onCall: () -> Void = {}

    /// Makes a subscription that has heard nothing.
    public init() {}

    /// Writes the demand down.
    public func request(_ demand: Subscribers.Demand) {
        calls.append("request \(demand)")
        onCall()
    }

    /// Writes the cancellation down.
    public func cancel() {
        calls.append("cancel")
        onCall()
    }

    /// What a log shows.
    public var description: String { "LoggingSubscription" }
}
