public import ModelCore

/// A few threads, and what has to hold after and during each of their executions.
public struct Scenario {
    public let name: String
    public let bounds: Bounds
    public let body: (Execution) -> Void

    public init(_ name: String, _ bounds: Bounds = Bounds(), _ body: @escaping (Execution) -> Void) {
        self.name = name
        self.bounds = bounds
        self.body = body
    }
}

/// One execution of a scenario: its threads, and what is checked after they have ended.
public final class Execution {
    var threads: [() -> Void] = []
    var checks: [() -> Void] = []

    /// Adds a virtual thread.
    public func thread(_ body: @escaping () -> Void) { threads.append(body) }

    /// Adds what is done after all threads have ended, in the order of the calls.
    public func after(_ check: @escaping () -> Void) { checks.append(check) }
}

/// How far a scenario is explored.
public struct Bounds {
    public var preemptions = 2
    public var stale = 2
    public var spurious = 1
    public var leaps = 1
    public var waits = 1
    /// How many times the limit of executions this scenario gets.
    public var effort = 1

    public init() {}

    public func with(
        preemptions: Int? = nil, stale: Int? = nil, spurious: Int? = nil, leaps: Int? = nil, waits: Int? = nil,
        effort: Int? = nil
    ) -> Bounds {
        var bounds = self
        if let preemptions { bounds.preemptions = preemptions }
        if let stale { bounds.stale = stale }
        if let spurious { bounds.spurious = spurious }
        if let leaps { bounds.leaps = leaps }
        if let waits { bounds.waits = waits }
        if let effort { bounds.effort = effort }
        return bounds
    }

    /// The deepest bounds of a long search.
    public var widened: Bounds {
        with(preemptions: preemptions + 2, stale: stale + 2, leaps: leaps + 1, waits: waits + 1)
    }
}

extension Bounds: CustomStringConvertible {
    public var description: String {
        "preemptions \(preemptions), stale \(stale), spurious \(spurious), leaps \(leaps), waits \(waits)"
    }
}

/// Reports a violation, and ends the execution.
public func expect(_ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String) {
    if !condition() { model_fail(message()) }
}

/// Lets other threads continue.
public func yieldHere() { model_yield() }
