import HeadgateCore

/// One rule that a publisher may break on purpose, to see how an operator or subscriber takes it.
public enum Misbehaviour: Hashable, Sendable, CaseIterable {
    /// Delivers a value before the subscription.
    case valueBeforeSubscription

    /// Hands out a second subscription.
    case secondSubscription

    /// Delivers one more value than was asked for, at every request.
    case oneValueTooMany

    /// Delivers everything as soon as it is asked for anything.
    case ignoresDemand

    /// Finishes twice.
    case secondCompletion

    /// Delivers a value behind the completion.
    case valueAfterTheEnd

    /// Goes on as if nothing had happened when it is cancelled.
    case ignoresCancel

    /// Finishes as soon as demand is used up.
    case finishesWhenDemandIsUsedUp

    /// Delivers in answer to a request inside a delivery at once, one value inside the other.
    case nestsValues

    /// Throws away the demand that is returned from `receive(_:)`.
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
        case .ignoresCancel: .cancelMeansStop
        case .finishesWhenDemandIsUsedUp: .demandIsNoEnd
        case .nestsValues: .noNestedValues
        case .forgetsAnswers: .demandAddsUp
        case .neverFinishes: .endsBehindTheLastValue
        }
    }
}
