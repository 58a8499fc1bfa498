import HeadgateCore

/// What a test subscriber does on hearing one value.
public enum Reaction: Hashable, Sendable {
    /// Takes the value and asks for nothing.
    case nothing

    /// Asks for more by its answer.
    case answer(Subscribers.Demand)

    /// Asks for more by `request(_:)`, from inside the delivery.
    case request(Subscribers.Demand)

    /// Cancels from inside the delivery.
    case cancel

    /// Asks for more by `request(_:)` on another thread, and waits inside the delivery until that has returned.
    case requestElsewhere(Subscribers.Demand)

    /// Cancels on another thread, and waits inside the delivery until that has returned.
    case cancelElsewhere
}

extension Reaction {
    /// Does it, inside the delivery of a value.
    ///
    /// - Parameters:
    ///   - patience: For how many thousandths of a second to wait for another thread.
    ///   - request: How the subscriber asks.
    ///   - cancel: How it cancels.
    ///   - report: Told of the breach, if a call on another thread waits for the delivery in turn.
    /// - Returns: What the subscriber has to answer.
    func carryOut(
        patience: Int, request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void,
        report: (Breach) -> Void
    ) -> Subscribers.Demand {
        func callElsewhere(_ name: String, _ body: @escaping () -> Void) {
            if runSideBySide([body], patience: patience) { return }
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

/// What a test subscriber asks for, and when.
///
/// ```swift
/// let subscriber = TestSubscriber<Int, Never>(.first(2, then: .answer(.max(1)), .request(.max(3)), .cancel))
/// (1...9).publisher.subscribe(subscriber)
/// print(subscriber.values)
/// // [1, 2, 3]
/// ```
public struct DemandScript: Hashable, Sendable {
    /// What is asked for on hearing the subscription.
    public var atSubscription: Subscribers.Demand

    /// What is done at the first value, the second, and so on.
    public var reactions: [Reaction]

    /// What is done at every value behind those.
    public var afterwards: Reaction

    /// Makes a script of its parts.
    public init(atSubscription: Subscribers.Demand, reactions: [Reaction] = [], afterwards: Reaction = .nothing) {
        self.atSubscription = atSubscription
        self.reactions = reactions
        self.afterwards = afterwards
    }

    /// What is done at a value, counted from zero.
    public func reaction(at index: Int) -> Reaction { index < reactions.count ? reactions[index] : afterwards }
}

extension DemandScript {
    /// Everything is asked for at once.
    public static let unlimited = DemandScript(atSubscription: .unlimited)

    /// Nothing is asked for before the test calls `request(_:)`.
    public static let none = DemandScript(atSubscription: .none)

    /// One value is asked for, and one more in answer to each.
    public static let oneByOne = DemandScript(atSubscription: .max(1), afterwards: .answer(.max(1)))

    /// One value is asked for, and one more from inside the delivery of each, by `request(_:)`.
    public static let oneByOneReentrantly = DemandScript(atSubscription: .max(1), afterwards: .request(.max(1)))

    /// A number of values is asked for, and what follows depends on the values as they come.
    public static func first(_ count: Int, then reactions: Reaction...) -> DemandScript {
        DemandScript(atSubscription: .max(count), reactions: reactions)
    }

    /// Everything is asked for, and the subscriber cancels inside the delivery of a value, counted from one.
    public static func cancelling(atValue number: Int) -> DemandScript {
        DemandScript(
            atSubscription: .unlimited, reactions: Array(repeating: .nothing, count: max(0, number - 1)) + [.cancel])
    }
}
