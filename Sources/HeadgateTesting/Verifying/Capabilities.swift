import HeadgateCore

/// What a publisher or an operator under test is able to do, so that the verifier knows what to expect.
///
/// Where nothing is said, values come only in answer to demand, and what one demand pattern gets, every other gets too.
public struct Capabilities: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The stream ends by itself if everything is asked for.
    public static let finite = Capabilities(rawValue: 1)

    /// The stream ends with a failure; for an operator: if its upstream does.
    public static let fails = Capabilities(rawValue: 2)

    /// The stream has a value for every demand, so everything is never asked for at once.
    public static let unbounded = Capabilities(rawValue: 4)

    /// Values come by themselves, and different runs may see different ones.
    ///
    /// What can be told from one run alone is checked.
    public static let hot = Capabilities(rawValue: 8)

    /// Values that nobody asked for are dropped, as the documentation of the subject says.
    ///
    /// Those that are delivered keep their order, and a value that is asked for when it comes is not dropped.
    public static let dropsUnasked = Capabilities(rawValue: 16)

    /// Values come on threads that the verifier does not steer.
    ///
    /// What is missing is waited for, and is only missed when the patience is over. A `settle` closure that knows when all is
    /// done makes that sooner.
    public static let asynchronous = Capabilities(rawValue: 32)

    /// The operator keeps no state of the stream: it passes subscriptions, requests and cancellations on as they come,
    /// so that a second `cancel()`, a second subscription and late values are left to whoever stands behind it.
    public static let transparent = Capabilities(rawValue: 64)

    /// The chain leaves values out, so that its end may hide behind some that nobody has asked for.
    public static let leavesValuesOut = Capabilities(rawValue: 128)

    /// Values of several upstreams are put together in an order that depends on when they are asked for.
    ///
    /// Those of one upstream keep their order. With ``dropsUnasked``, which values are put together may depend on demand,
    /// too.
    public static let merges = Capabilities(rawValue: 256)

    /// The stream ends when nothing happens for some time, as behind `timeout`.
    ///
    /// The verifier then moves the clock only where a script says so: what else it tries happens at one moment.
    public static let endsByTime = Capabilities(rawValue: 512)

    /// The publisher holds its subscribers until they cancel or the stream ends, as subjects do, and chains with an operator
    /// in them.
    public static let holdsSubscribers = Capabilities(rawValue: 1024)

    /// The operator ends when its upstream does, and as it does: ``finite`` and ``fails``.
    public static let endsWithUpstream: Capabilities = [.finite, .fails]
}

/// How hard a verifier looks.
///
/// No more scripts are run than are tried in order and at random together, as long as nothing is broken. A few probes of
/// what scripts can't show come on top, and runs to compare with.
public struct Effort: Hashable, Sendable {
    /// The length up to which scripts are tried in every order; like all numbers of an effort, never negative.
    public var depth: Int

    /// How many scripts are tried in order at the most.
    public var systematicScripts: Int

    /// How many random scripts are tried beyond.
    public var randomScripts: Int

    /// The seed of the first random script.
    public var seed: UInt64

    /// How many thousandths of a second another thread may take to get through to a publisher before that counts as a
    /// lock held: one at the least.
    ///
    /// No time passes where no lock is held.
    public var patience: Int

    /// Makes an effort of its parts.
    public init(
        depth: Int = 6, systematicScripts: Int = 2500, randomScripts: Int = 200, seed: UInt64 = 1, patience: Int = 2000
    ) {
        self.depth = depth
        self.systematicScripts = systematicScripts
        self.randomScripts = randomScripts
        self.seed = seed
        self.patience = patience
    }

    /// Takes well under a second.
    public static let normal = Effort()

    /// Takes some seconds.
    public static let thorough = Effort(depth: 8, systematicScripts: 40_000, randomScripts: 5000)
}

extension Effort {
    /// Traps where no verifier could do what is asked for.
    func check() {
        if min(depth, systematicScripts, randomScripts) >= 0, patience > 0 { return }
        programmerError(
            rule: "No number in an effort is negative, and patience is one thousandth of a second at the least.",
            found: "a depth of \(depth), \(systematicScripts) scripts in order, \(randomScripts) random scripts, "
                + "a patience of \(patience) ms",
            remedy: "Leave the defaults of Effort.")
    }
}
