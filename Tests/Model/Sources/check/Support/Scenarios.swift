import ModelCore
import ModelKit

/// A family of scenarios, which share their bounds.
final class Family {
    let bounds: Bounds
    var all: [Scenario] = []

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// Adds a scenario.
    ///
    /// What still runs when its checks have passed is ended then, so that everything left over leaks.
    func add(_ name: String, _ bounds: Bounds? = nil, _ body: @escaping (Execution) -> Void) {
        all.append(
            Scenario(name, bounds ?? self.bounds) { run in
                endings = []
                body(run)
                run.after {
                    let last = endings
                    endings = []
                    for end in last.reversed() { end() }
                }
            })
    }
}

func scenarios(_ bounds: Bounds = Bounds(), _ add: (Family) -> Void) -> [Scenario] {
    let family = Family(bounds)
    add(family)
    return family.all
}

extension Bounds {
    /// For pipelines of several objects, in which there are many operations.
    static var light: Bounds { Bounds().with(preemptions: 2, stale: 1, leaps: 0) }
}

/// What ends the streams of an execution.
nonisolated(unsafe) var endings: [() -> Void] = []
