import HeadgateCore

/// A subject under test with everything that one run needs.
struct Rig<Output, Failure: Error> {
    /// Connects a subscriber.
    let attach: (Examiner<Output, Failure>) -> Void

    /// Performs a move of the source; answers whether anything was possible.
    ///
    /// `nil` where the source acts by itself.
    var source: ((Move) -> Bool)?

    /// Lets time pass until nothing happens any more.
    var settle: () -> Void = {}

    /// Looks for breaches on other edges at the end of a run.
    var inspect: (Outcome) -> [Breach] = { _ in [] }

    /// Hears that the stream has ended.
    var completionWasHeard: () -> Void = {}

    /// Whether everything that an upstream had handed out was let go of.
    var hasReleasedUpstream: () -> Bool = { true }
}

/// What a subject publishes if everything is asked for.
struct Reference {
    let values: [String]
    let ending: String?

    /// Whether the stream may have more values than are listed.
    let isOpenEnded: Bool
}
