import HeadgateCore

/// What a publisher or an operator under test can do, which tells the verifier what to expect.
///
/// Without any, values are delivered only against demand, and every demand pattern gets the same values.
public struct Capabilities: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The stream completes by itself under unlimited demand.
    public static let finite = Capabilities(rawValue: 1)

    /// The stream fails; for an operator: if its upstream does.
    public static let fails = Capabilities(rawValue: 2)

    /// The stream has a value for every demand, so scripts request 40 values instead of unlimited ones.
    public static let unbounded = Capabilities(rawValue: 4)

    /// The publisher sends values by itself, and runs may receive different ones.
    ///
    /// Only rules that a single run can show are checked.
    public static let hot = Capabilities(rawValue: 8)

    /// Values without demand are dropped, as the documentation of the subject says.
    ///
    /// Delivered values keep their order, and a value with demand when it arrives is not dropped.
    public static let dropsUnasked = Capabilities(rawValue: 16)

    /// Values are delivered on threads that the verifier does not control.
    ///
    /// The verifier waits for missing values up to its timeout before it reports them. A `settle` closure that knows
    /// when all work is done makes that faster.
    public static let asynchronous = Capabilities(rawValue: 32)

    /// The operator keeps no state of the stream: it forwards subscriptions, requests and cancellations unchanged, so
    /// that handling a second `cancel()`, a second subscription and late values is left to its downstream.
    public static let transparent = Capabilities(rawValue: 64)

    /// The chain drops values, so that its completion may be delayed until demand has passed the dropped values.
    public static let leavesValuesOut = Capabilities(rawValue: 128)

    /// Values of several upstreams are combined in an order that depends on when they are requested.
    ///
    /// Those of one upstream keep their order. With ``dropsUnasked``, the values that are combined may depend on
    /// demand, too.
    public static let merges = Capabilities(rawValue: 256)

    /// The stream ends when nothing happens for some time, as after `timeout`.
    ///
    /// The verifier then advances the clock only where a script does; all other checks run at one time.
    public static let endsByTime = Capabilities(rawValue: 512)

    /// The publisher retains its subscribers until they cancel or the stream ends, as subjects and chains with an
    /// operator do.
    public static let holdsSubscribers = Capabilities(rawValue: 1024)

    /// The operator completes when its upstream does, and in the same way: ``finite`` and ``fails``.
    public static let endsWithUpstream: Capabilities = [.finite, .fails]
}

/// How much work a verifier does.
///
/// As long as no rule is broken, the number of scripts is at most that of systematic and random ones together. A few
/// probes for what scripts can't show, and reference runs, are added.
public struct Effort: Hashable, Sendable {
    /// The length up to which all scripts are tried; like all numbers of an effort, not negative.
    public var depth: Int

    /// The maximum number of systematic scripts.
    public var systematicScripts: Int

    /// The number of random scripts tried in addition.
    public var randomScripts: Int

    /// The seed of the first random script.
    public var seed: UInt64

    /// The number of milliseconds that a call to the publisher from another thread may take before that counts as a
    /// lock held, and that an event of an asynchronous publisher may be late before it counts as missing: at least one.
    ///
    /// Nothing waits that long unless a lock is held or an event is missing.
    public var timeout: Int

    /// Creates an effort.
    public init(
        depth: Int = 6, systematicScripts: Int = 2500, randomScripts: Int = 200, seed: UInt64 = 1, timeout: Int = 2000
    ) {
        self.depth = depth
        self.systematicScripts = systematicScripts
        self.randomScripts = randomScripts
        self.seed = seed
        self.timeout = timeout
    }

    /// Takes well under a second.
    public static let normal = Effort()

    /// Takes some seconds.
    public static let thorough = Effort(depth: 8, systematicScripts: 40_000, randomScripts: 5000)
}

extension Effort {
    /// Traps if a number is out of range.
    func check() {
        if min(depth, systematicScripts, randomScripts) >= 0, timeout > 0 { return }
        programmerError(
            rule: "The numbers of an effort are not negative, and its timeout is at least one millisecond.",
            found: "a depth of \(depth), \(systematicScripts) systematic scripts, \(randomScripts) random scripts, "
                + "a timeout of \(timeout) ms",
            remedy: "Leave the defaults of Effort.")
    }
}
