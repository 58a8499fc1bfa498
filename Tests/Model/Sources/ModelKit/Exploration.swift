public import ModelCore

/// What was explored of a scenario.
public struct Exploration {
    /// Depth first.
    public var executions = 0
    /// At random, after the search in order had used up its executions.
    public var randomExecutions = 0
    public var isComplete = false
    public var failure: String?
}

/// Runs the executions of a scenario within its bounds: all in order, and if there are more than the limit, as many at
/// random within wider bounds.
///
/// A search in order that is cut off has varied only the ends of its executions.
public func explore(_ scenario: Scenario, limit: Int, printsTrace: Bool = true) -> Exploration {
    var found = Exploration()
    let limit = limit * scenario.bounds.effort
    let inOrder = search(scenario, scenario.bounds, limit: limit, seed: 0)
    found.executions = inOrder.executions
    found.isComplete = inOrder.complete != 0
    if model_failure() == nil, !found.isComplete {
        found.randomExecutions = search(scenario, scenario.bounds.widened, limit: limit, seed: 1).executions
    }
    if let failure = model_failure() {
        found.failure = String(cString: failure)
        if printsTrace { model_print_trace() }
    }
    return found
}

private func search(_ scenario: Scenario, _ bounds: Bounds, limit: Int, seed: UInt64) -> model_outcome {
    let bounds = model_bounds(
        preemptions: Int32(bounds.preemptions), stale: Int32(bounds.stale), spurious: Int32(bounds.spurious),
        leaps: Int32(bounds.leaps), waits: Int32(bounds.waits), steps: 3000, executions: limit, seed: seed)
    // Creates what lives as long as the process, and doesn't count.
    model_begin(scenario.name, bounds)
    model_begin_execution()
    execute(scenario)
    _ = model_end_execution()
    if model_failure() != nil { return model_result() }
    model_begin(scenario.name, bounds)
    var living = model_living_locations()
    repeat {
        model_begin_execution()
        execute(scenario)
        if model_living_locations() > living {
            // An object leaks, or a global variable has been used for the first time. Only what leaks does so again.
            living = model_living_locations()
            model_repeat_execution()
            execute(scenario)
            if model_living_locations() > living { model_fail("an object with atomics leaks") }
        }
    } while model_end_execution() != 0
    return model_result()
}

private func execute(_ scenario: Scenario) {
    let execution = Execution()
    scenario.body(execution)
    let threads = execution.threads.map { Thread($0) }
    execution.threads = []
    for thread in threads {
        model_spawn(
            { context in
                let thread = Unmanaged<Thread>.fromOpaque(context!).takeUnretainedValue()
                thread.body()
                thread.body = {}
            }, Unmanaged.passUnretained(thread).toOpaque())
    }
    withExtendedLifetime(threads) { model_run() }
    let checks = execution.checks
    execution.checks = []
    for check in checks where model_failure() == nil { check() }
}

private final class Thread {
    var body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}
