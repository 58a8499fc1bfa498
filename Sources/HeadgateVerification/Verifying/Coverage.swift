/// What the runs have covered: a rule is held only if a run could have broken it.
struct Coverage: Sendable {
    /// The most values delivered in one run.
    var values = 0

    /// Whether a stream has ended.
    var hasEnded = false

    /// Whether a subscriber has cancelled inside a delivery.
    var wasCancelledInside = false

    /// Whether an operator has ended a stream before its upstream did.
    var hasEndedEarly = false

    mutating func note(_ outcome: Outcome) {
        values = max(values, outcome.values.count)
        if outcome.ending != nil { hasEnded = true }
        if outcome.wasCancelledInside { wasCancelledInside = true }
        if outcome.hasEndedEarly { hasEndedEarly = true }
    }
}
