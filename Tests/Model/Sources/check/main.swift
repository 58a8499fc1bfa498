import ModelCore
import ModelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

setvbuf(stdout, nil, _IOLBF, 0)
// The longest first, because several processes take one family each.
let families: [(name: String, scenarios: [Scenario])] = [
    ("liveness", livenessScenarios), ("joining", joiningScenarios), ("branching", branchingScenarios),
    ("task", taskScenarios), ("timing", timingScenarios), ("subject", subjectScenarios),
    ("observing", observingScenarios), ("sharing", sharingScenarios), ("drain", drainScenarios),
    ("handover", drainHandoverScenarios), ("demand", demandScenarios), ("slot", slotScenarios),
    ("buffering", bufferingScenarios), ("subscriber", subscriberScenarios),
]

/// How many executions a scenario has at most, in order and then at random.
var limit = 1000

/// Explores a scenario, and prints how far.
func run(_ scenario: Scenario, printsTrace: Bool) -> Bool {
    let found = explore(scenario, limit: limit, printsTrace: printsTrace)
    var counts = "\(found.executions) executions"
    if found.isComplete {
        counts += ", complete"
    } else if found.failure == nil {
        counts += " in order, \(found.randomExecutions) at random"
    }
    print(found.failure == nil ? "ok  " : "FAIL", scenario.name, "|", counts, "|", scenario.bounds)
    if let failure = found.failure { print("     \(failure)") }
    return found.failure == nil
}

/// The scenarios of a family, those whose names begin with a text, or all.
func selected(_ text: String?) -> [Scenario] {
    guard let text else { return families.flatMap(\.scenarios) }
    return families.first { $0.name == text }?.scenarios
        ?? families.flatMap(\.scenarios).filter { $0.name.hasPrefix(text) }
}

var arguments = Array(CommandLine.arguments.dropFirst())
if let index = arguments.firstIndex(of: "--limit") {
    limit = Int(arguments[index + 1])!
    arguments.removeSubrange(index...index + 1)
}
switch arguments.first {
case "litmus":
    let failed = (orderingLitmus + structureLitmus).filter { !$0.holds() }
    exit(failed.isEmpty ? 0 : 1)
case "families":
    for family in families { print(family.name) }
case "list":
    for family in families { for scenario in family.scenarios { print(scenario.name) } }
case "run":
    let chosen = selected(arguments.dropFirst().first)
    let failed = chosen.filter { !run($0, printsTrace: true) }
    exit(!chosen.isEmpty && failed.isEmpty ? 0 : 1)
case "places":
    // Where the orderings are that a scenario executes.
    for scenario in selected(arguments.dropFirst().first) {
        if explore(scenario, limit: limit, printsTrace: false).failure != nil { print("FAIL\t\(scenario.name)") }
    }
    model_for_each_place(
        { _, place, kind, order in
            print("\(String(cString: place.file!))\t\(place.line)\t\(place.column)\t\(kind)\t\(order)")
        }, nil)
case "weaken":
    // FILE LINE COLUMN ORDER SCENARIO...: until one of the scenarios fails.
    let place = model_place(file: strdup(arguments[1]), line: Int32(arguments[2])!, column: Int32(arguments[3])!)
    model_weaken(place, Int32(arguments[4])!)
    for name in arguments.dropFirst(5) {
        for scenario in families.flatMap(\.scenarios) where scenario.name == name {
            print("trying\t\(name)")
            let found = explore(scenario, limit: limit, printsTrace: false)
            if let failure = found.failure {
                print("caught\t\(name)\t\(failure)")
                exit(1)
            }
        }
    }
default:
    print(
        "check litmus | families | list | run [FAMILY or NAME] | places [NAME] | weaken FILE LINE COLUMN ORDER NAME...")
    exit(2)
}
