import HeadgateCore

/// A subscription that writes down what it is told, and does nothing else.
public final class LoggingSubscription: Subscription, CustomStringConvertible {
    /// What it was told, in words.
    public private(set) var calls: [String] = []

    /// What to do at each call, apart from writing it down.
    public var onCall: () -> Void = {}

    public init() {}

    public func request(_ demand: Subscribers.Demand) {
        calls.append("request \(demand)")
        onCall()
    }

    public func cancel() {
        calls.append("cancel")
        onCall()
    }

    public var description: String { "LoggingSubscription" }
}
