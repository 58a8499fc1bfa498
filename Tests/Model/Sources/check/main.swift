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
    ("waiting", waitingScenarios),
    ("handover", drainHandoverScenarios), ("demand", demandScenarios), ("slot", slotScenarios),
    ("buffering", bufferingScenarios), ("subscriber", subscriberScenarios), ("creating", creatingScenarios),
    ("alarm", alarmScenarios), ("system", systemScenarios),
    ("simulation", simulationScenarios),
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

/// The scenario of a name, the scenarios of a family, those whose names begin with a text, or all.
func selected(_ text: String?) -> [Scenario] {
    guard let text else { return families.flatMap(\.scenarios) }
    let all = families.flatMap(\.scenarios)
    if let scenario = all.first(where: { $0.name == text }) { return [scenario] }
    return families.first { $0.name == text }?.scenarios ?? all.filter { $0.name.hasPrefix(text) }
}

var arguments = Array(CommandLine.arguments.dropFirst())
if let index = arguments.firstIndex(of: "--limit") {
    limit = Int(arguments[index + 1])!
    arguments.removeSubrange(index...index + 1)
}
/// Where to write what the scenarios have executed.
var executed: String?
if let index = arguments.firstIndex(of: "--executed") {
    executed = arguments[index + 1]
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
    if let executed, model_write_executed(executed) == 0 { fatalError("\(executed) can't be written") }
    exit(!chosen.isEmpty && failed.isEmpty ? 0 : 1)
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
        "check litmus | families | list | run [FAMILY or NAME] | weaken FILE LINE COLUMN ORDER NAME...")
    exit(2)
}
