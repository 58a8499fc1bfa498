import Headgate
import HeadgateTesting
import HeadgateVerification

/// How a subscriber requests values, and when it cancels.
struct Pace: Equatable {
    enum Demand: String, CaseIterable {
        /// All in `receive(subscription:)`.
        case unlimited

        /// All after the subscription.
        case unlimitedLater

        /// One in `receive(subscription:)`, and one in return for each value.
        case returned

        /// One in `receive(subscription:)`, and one by a request inside each delivery.
        case requestedInside

        /// One after the other, each when nothing more happens.
        case oneByOne

        /// Three at a time, the first in `receive(subscription:)`.
        case bursts

        /// None at all.
        case none

        var isUnlimited: Bool { self == .unlimited || self == .unlimitedLater }

        /// Whether there is demand as long as the subscriber is not being called.
        var isSteady: Bool { isUnlimited || self == .returned || self == .requestedInside }
    }

    /// After more values than any finite source brings about.
    static let late = 7

    var demand: Demand

    /// The number of values after which it cancels, from inside the delivery.
    var cancelsAfter: Int
}

/// Receives at a pace, and checks on the way what needs no model.
final class PacedSubscriber: Subscriber {
    private let pace: Pace
    private var subscription: (any Subscription)?
    private var isInside = false
    private var requested = Demand.none
    private(set) var values: [Int] = []
    private(set) var end: Flow.Event?
    private(set) var isCancelled = false

    /// A rule that was broken.
    private(set) var breach: String?

    init(_ pace: Pace) { self.pace = pace }

    typealias Demand = Subscribers.Demand

    func receive(subscription: any Subscription) {
        if self.subscription != nil { breach = "a second subscription" }
        self.subscription = subscription
        switch pace.demand {
        case .unlimited: request(.unlimited)
        case .returned, .requestedInside: request(.max(1))
        case .bursts: request(.max(3))
        case .unlimitedLater, .oneByOne, .none: break
        }
    }

    func receive(_ value: Int) -> Demand {
        if isInside { breach = "a value inside a delivery" }
        if end != nil { breach = "a value after the end" }
        if isCancelled { breach = "a value after cancel()" }
        isInside = true
        defer { isInside = false }
        values.append(value)
        if requested < .max(values.count) { breach = "more values than requested" }
        if values.count == pace.cancelsAfter {
            cancel()
            return .none
        }
        switch pace.demand {
        case .returned:
            requested += .max(1)
            return .max(1)
        case .requestedInside:
            request(.max(1))
            return .none
        default: return .none
        }
    }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {
        if isInside { breach = "a completion inside a delivery" }
        if end != nil { breach = "a second completion" }
        if isCancelled { breach = "a completion after cancel()" }
        end = if case .failure = completion { .failed } else { .finished }
        subscription = nil
    }

    var hasSubscription: Bool { subscription != nil }

    /// Requests from outside; whether it did.
    func requestMore() -> Bool {
        if end != nil || isCancelled { return false }
        if subscription == nil { breach = "no subscription" }
        switch pace.demand {
        case .unlimitedLater where requested == .none: request(.unlimited)
        case .oneByOne where requested <= .max(values.count): request(.max(1))
        case .bursts where requested <= .max(values.count): request(.max(3))
        default: return false
        }
        return true
    }

    func cancel() {
        isCancelled = true
        subscription?.cancel()
        subscription = nil
    }

    private func request(_ demand: Demand) {
        requested += demand
        subscription?.request(demand)
    }

    /// How much is requested and has not been received.
    var hasOutstandingDemand: Bool { requested > .max(values.count) }
    var requestedTotal: Demand { requested }
}
