import HeadgateCore
import HeadgateTesting

extension ScriptRunner {
    /// Checks that a hot stream delivers all that is requested.
    ///
    /// That can be checked if values arrive steadily: some whenever time passes.
    func probeHotDemand() -> [Finding] {
        guard capabilities.contains(.hot), !isOperator, !capabilities.contains(.asynchronous) else { return [] }
        let runner = waiting
        func isSteady(after actions: [ScriptAction]) -> (isSteady: Bool, outcome: Outcome) {
            let outcomes = (0...3).map { runner.run(actions + [ScriptAction](repeating: .wait, count: $0 + 1)).outcome }
            let counts = outcomes.map(\.values.count)
            return (zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }, outcomes[3])
        }
        guard isSteady(after: [.begin(.unlimited)]).isSteady else {
            return [Rule.demandAddsUp, .unlimitedAbsorbs].map { .notCheckable($0, "values do not arrive steadily") }
        }
        let requests: [ScriptAction] = [
            .request(.max(1)), .request(.max(2)), .wait, .request(.max(1)), .wait, .wait, .wait,
        ]
        let answers: [ScriptAction] = [
            .react(.answer(.max(1))), .react(.answer(.max(2))), .request(.max(1)), .wait, .wait, .wait,
        ]
        var findings = [requests, answers].compactMap { script -> Finding? in
            let outcome = runner.run(script).outcome
            let count = outcome.values.count
            if count == 4 { return nil }
            return broken(
                .demandAddsUp, "4 requested, \(count) delivered", script: script.sentence, outcome: outcome)
        }
        let unlimited: [ScriptAction] = [.request(.max(1)), .request(.unlimited), .request(.max(1))]
        let (isSteady, outcome) = isSteady(after: unlimited)
        if !isSteady {
            findings.append(
                broken(
                    .unlimitedAbsorbs, "values stop arriving under unlimited demand",
                    script: unlimited.sentence, outcome: outcome))
        }
        return findings + [.held(.demandAddsUp), .held(.unlimitedAbsorbs)]
    }
}
