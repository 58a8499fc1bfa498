import ModelCore
import ModelKit

/// Checks the checker: outcomes that must be found, and outcomes that must not be.
struct Litmus {
    let name: String
    let must: Set<String>
    let never: Set<String>
    let body: (Execution, @escaping (String) -> Void) -> Void

    /// Collects the outcomes of all executions; a race counts as one.
    func holds() -> Bool {
        var found: [String: Int] = [:]
        let bounds = Bounds().with(preemptions: 4, stale: 4, spurious: 0)
        let scenario = Scenario(name, bounds) { run in body(run) { found[$0, default: 0] += 1 } }
        let exploration = explore(scenario, limit: 1_000_000, printsTrace: false)
        if exploration.failure != nil { found["RACE"] = 1 }
        let missing = must.subtracting(found.keys).sorted()
        let wrong = never.intersection(found.keys).sorted()
        let isRight = missing.isEmpty && wrong.isEmpty && (exploration.isComplete || exploration.failure != nil)
        print(
            isRight ? "ok  " : "BAD ", name, "| \(exploration.executions) executions |",
            found.keys.sorted().joined(separator: ", "), isRight ? "" : "| missing \(missing), wrong \(wrong)")
        return isRight
    }
}

final class LitmusSuite {
    var all: [Litmus] = []

    func add(
        _ name: String, must: Set<String>, never: Set<String>,
        _ body: @escaping (Execution, @escaping (String) -> Void) -> Void
    ) {
        all.append(Litmus(name: name, must: must, never: never, body: body))
    }
}

func litmus(_ add: (LitmusSuite) -> Void) -> [Litmus] {
    let suite = LitmusSuite()
    add(suite)
    return suite.all
}

/// An atomic in a box, because closures can't capture one.
final class Cell {
    let a: ModelAtomic<Int>

    init(_ value: Int = 0) { a = ModelAtomic(value) }
}
