import HeadgateCore

/// A rule that a publisher breaks on purpose, to test how an operator or subscriber reacts.
public enum Misbehaviour: Hashable, Sendable, CaseIterable {
    /// Delivers a value before the subscription.
    case valueBeforeSubscription

    /// Delivers a second subscription.
    case secondSubscription

    /// Delivers one more value than requested, at every request.
    case oneValueTooMany

    /// Delivers all values at the first request.
    case ignoresDemand

    /// Finishes twice.
    case secondCompletion

    /// Delivers a value after the completion.
    case valueAfterTheEnd

    /// Continues to deliver after it has been cancelled.
    case ignoresCancel

    /// Finishes when demand is used up.
    case finishesWhenDemandIsUsedUp

    /// Answers a request made inside a delivery immediately, nesting one delivery in another.
    case nestsValues

    /// Ignores the demand that `receive(_:)` returns.
    case forgetsAnswers

    /// Never completes.
    case neverFinishes

    /// The rule that is broken.
    public var rule: Rule {
        switch self {
        case .valueBeforeSubscription, .secondSubscription: .oneSubscription
        case .oneValueTooMany, .ignoresDemand: .valuesAgainstDemand
        case .secondCompletion: .oneCompletion
        case .valueAfterTheEnd: .silenceAfterTheEnd
        case .ignoresCancel: .cancelStopsDelivery
        case .finishesWhenDemandIsUsedUp: .exhaustedDemandDoesNotComplete
        case .nestsValues: .noNestedValues
        case .forgetsAnswers: .demandAddsUp
        case .neverFinishes: .completesAfterLastValue
        }
    }
}
