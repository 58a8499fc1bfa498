import HeadgateCore

/// What a test subscriber does with one value.
public enum Reaction: Hashable, Sendable {
    /// Takes the value without requesting more.
    case nothing

    /// Returns more demand.
    case answer(Subscribers.Demand)

    /// Requests more with `request(_:)`, from inside the delivery.
    case request(Subscribers.Demand)

    /// Cancels from inside the delivery.
    case cancel

    /// Requests more with `request(_:)` on another thread, and waits inside the delivery until that has returned.
    case requestElsewhere(Subscribers.Demand)

    /// Cancels on another thread, and waits inside the delivery until that has returned.
    case cancelElsewhere
}

extension Reaction {
    /// Performs the reaction inside the delivery of a value.
    ///
    /// - Parameters:
    ///   - timeout: The maximum number of milliseconds to wait for another thread.
    ///   - request: Requests values.
    ///   - cancel: Cancels.
    ///   - report: Called with the breach if a call on another thread waits for the delivery.
    /// - Returns: The demand for the subscriber to return.
    package func carryOut(
        timeout: Int, request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void,
        report: (Breach) -> Void
    ) -> Subscribers.Demand {
        func callElsewhere(_ name: String, _ body: @escaping () -> Void) {
            if runSideBySide([body], timeout: timeout) { return }
            report(Breach(.noLockHeld, "\(name) on another thread waits for the delivery to return"))
        }
        switch self {
        case .nothing: break
        case .answer(let demand): return demand
        case .request(let demand): request(demand)
        case .cancel: cancel()
        case .requestElsewhere(let demand): callElsewhere("request(_:)") { request(demand) }
        case .cancelElsewhere: callElsewhere("cancel()", cancel)
        }
        return .none
    }
}

/// The demand of a test subscriber over time.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let subscriber = TestSubscriber<Int, Never>(.first(2, then: .answer(.max(1)), .request(.max(3)), .cancel))
/// (1...9).publisher.subscribe(subscriber)
/// print(subscriber.values)
/// // [1, 2, 3]
/// ```
public struct DemandScript: Hashable, Sendable {
    /// The demand requested on receiving the subscription.
    public var atSubscription: Subscribers.Demand

    /// The reactions to the first value, the second, and so on.
    public var reactions: [Reaction]

    /// The reaction to every value after those.
    public var afterwards: Reaction

    /// Creates a script.
    public init(atSubscription: Subscribers.Demand, reactions: [Reaction] = [], afterwards: Reaction = .nothing) {
        self.atSubscription = atSubscription
        self.reactions = reactions
        self.afterwards = afterwards
    }

    /// The reaction to a value, counted from zero.
    public func reaction(at index: Int) -> Reaction { index < reactions.count ? reactions[index] : afterwards }
}

extension DemandScript {
    /// Requests unlimited values.
    public static let unlimited = DemandScript(atSubscription: .unlimited)

    /// Requests nothing; the test calls `request(_:)`.
    public static let none = DemandScript(atSubscription: .none)

    /// Requests one value, and returns demand for one more for each.
    public static let oneByOne = DemandScript(atSubscription: .max(1), afterwards: .answer(.max(1)))

    /// Requests one value, and one more from inside the delivery of each, with `request(_:)`.
    public static let oneByOneReentrantly = DemandScript(atSubscription: .max(1), afterwards: .request(.max(1)))

    /// Requests a number of values, then reacts to each value in turn.
    public static func first(_ count: Int, then reactions: Reaction...) -> DemandScript {
        DemandScript(atSubscription: .max(count), reactions: reactions)
    }

    /// Requests unlimited values, and cancels inside the delivery of a value, counted from one.
    public static func cancelling(atValue number: Int) -> DemandScript {
        DemandScript(
            atSubscription: .unlimited, reactions: Array(repeating: .nothing, count: max(0, number - 1)) + [.cancel])
    }
}
