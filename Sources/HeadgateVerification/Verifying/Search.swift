import HeadgateCore
import HeadgateTesting

/// Tries scripts, first systematically up to a depth, then at random, and keeps for each rule the smallest that breaks
/// it.
struct Search<Output, Failure: Error> {
    let runner: ScriptRunner<Output, Failure>
    let effort: Effort

    /// The number of upstreams that the verifier drives.
    let sourceCount: Int

    /// What this search and those before it have found and covered.
    private(set) var report: Verification

    private(set) var scriptCount = 0

    private var one: Subscribers.Demand { .max(1) }
    private var everything: Subscribers.Demand { runner.everything }
    private var time: [ScriptAction] { runner.pace == .onWaiting ? [.wait] : [] }
    private var finish: [ScriptAction] { (0..<sourceCount).map { .finish($0) } }

    private var source: [ScriptAction] {
        (0..<sourceCount).flatMap { [ScriptAction.send(from: $0), .finish($0), .fail($0)] }
    }

    private func send(_ count: Int) -> [ScriptAction] {
        (0..<count).flatMap { _ in (0..<sourceCount).map { ScriptAction.send(from: $0) } }
    }

    /// The actions of systematic scripts.
    private var alphabet: [ScriptAction] {
        [.request(one)] + source + time + [
            .react(.answer(one)), .react(.request(one)), .react(.cancel), .cancel, .request(everything),
        ]
    }

    /// The ways to begin other than with no demand.
    private var beginnings: [ScriptAction] { [.begin(one), .begin(.max(2)), .begin(everything)] }

    /// The actions of random scripts.
    private var randomAlphabet: [ScriptAction] {
        alphabet + source + time + time + [
            .request(.none), .request(.max(2)), .request(.max(3)), .react(.nothing), .react(.answer(.max(2))),
            .react(.request(.max(2))), .react(.request(.none)), .react(.request(everything)),
            .react(.answer(everything)), .request(one),
        ]
    }

    /// Scripts in which the subscriber requests and upstream sends in turns, longer than systematic scripts can be.
    private var turns: [[ScriptAction]] {
        let two = Subscribers.Demand.max(2)
        return [(one, one), (one, two), (two, one), (everything, one)].flatMap { first, second in
            [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)].map { before, after in
                [.request(first)] + time + send(before) + time + [.request(second)] + time + send(after) + time + finish
            }
        }
    }

    /// Requests that are larger than a small buffer, and larger than what 32 bits hold, in one call and in two, by
    /// `request(_:)` and by answers; and cancellations from inside `receive(subscription:)`.
    private var extremes: [[ScriptAction]] {
        let (many, half, full) = (
            Subscribers.Demand.max(20), Subscribers.Demand.max(1 << 31), Subscribers.Demand.max(1 << 32)
        )
        let requesting: [[ScriptAction]] = [
            [.request(many)], [.react(.answer(many)), .request(one)], [.react(.request(many)), .request(one)],
            [.request(half)], [.request(full)], [.request(.max(1 << 31 - 1)), .request(one)],
            [.react(.answer(full)), .request(one)],
        ]
        return requesting.map { $0 + time + send(21) + time + finish }
            + [.none, everything].flatMap { demand -> [[ScriptAction]] in
                let actions: [ScriptAction] = [.beginCancelling(demand), .request(one)]
                return [actions, actions + send(2) + finish]
            }
    }

    /// Tries everything.
    mutating func run() {
        attempt([])
        attempt([.request(.none)])
        attempt([.request(.max(2)), .request(.max(3))])
        let planned = (sourceCount > 0 ? turns : []) + extremes
        // Half of a small effort goes to systematic scripts.
        searchInOrder(limit: effort.systematicScripts - min(planned.count, effort.systematicScripts / 2))
        for actions in planned where scriptCount < effort.systematicScripts { attempt(actions, shrinks: true) }
        searchAtRandom()
        report.scriptCount += scriptCount
    }

    private mutating func searchInOrder(limit: Int) {
        let alphabet = alphabet
        var frontier = ScriptFrontier<ScriptAction>()
        frontier.add([], .open)
        for length in 1...max(1, effort.depth) {
            let isDone = frontier.grow(by: alphabet, lateActs: 2) { actions, isLate in
                if actions.last?.isReaction == true {
                    // Planning a reaction shows nothing before a value arrives.
                    return isLate || actions.suffix(3).filter(\.isReaction).count == 3 ? .pruned : .open
                }
                // Nothing is pending after waiting.
                if actions.last == .wait, actions.dropLast().last ?? .wait == .wait { return .pruned }
                return scriptCount >= limit ? nil : attempt(actions)
            }
            if !isDone { return }
            if length == 1 {
                for beginning in beginnings {
                    let standing = attempt([beginning])
                    frontier.add([beginning], standing == .over ? .over : .open)
                }
            }
            if frontier.isEmpty { return }
        }
    }

    private mutating func searchAtRandom() {
        let (beginnings, alphabet) = (beginnings, randomAlphabet)
        for offset in 0..<effort.randomScripts {
            let seed = effort.seed &+ UInt64(offset)
            var generator = SeededGenerator(seed: seed)
            let length = Int.random(in: 4...14, using: &generator)
            var actions = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            if Int.random(in: 0..<4, using: &generator) == 0,
                let beginning = beginnings.randomElement(using: &generator)
            {
                actions.insert(beginning, at: 0)
            }
            attempt(actions, seed: seed, shrinks: true)
        }
    }

    @discardableResult private mutating func attempt(
        _ actions: [ScriptAction], seed: UInt64? = nil, shrinks: Bool = false
    ) -> ScriptFrontier<ScriptAction>.Standing {
        scriptCount += 1
        let (outcome, wasEffective) = runner.run(actions)
        report.coverage.note(outcome)
        for breach in outcome.breaches where !report.brokenRules.contains(breach.rule) {
            if shrinks {
                shrink(actions, breaking: breach.rule, seed: seed)
            } else {
                keep(breach, actions: actions, outcome: outcome, seed: nil)
            }
        }
        return !wasEffective ? .pruned : outcome.isOver ? .over : .open
    }

    private mutating func keep(_ breach: Breach, actions: [ScriptAction], outcome: Outcome, seed: UInt64?) {
        // Time passes after a script even if it does not end with waiting.
        let waits = runner.pace == .onWaiting && actions.last != .wait
        report.take(
            Verification.Evidence(
                breach: breach, script: runner.preamble + (waits ? actions + [.wait] : actions).sentence,
                timeLine: outcome.timeLine, seed: seed))
    }

    /// Removes actions as long as the rule is still broken.
    private mutating func shrink(_ actions: [ScriptAction], breaking rule: Rule, seed: UInt64?) {
        let (smallest, outcome) = runner.lateness.withMorePatience {
            let smallest = actions.shrunk { shorter in
                scriptCount += 1
                return runner.run(shorter).outcome.breaches.contains { $0.rule == rule }
            }
            return (smallest, runner.run(smallest).outcome)
        }
        guard let breach = outcome.breaches.first(where: { $0.rule == rule }) else { return }
        keep(breach, actions: smallest, outcome: outcome, seed: seed)
    }
}

extension Verification {
    /// Tries scripts; with a scheduler, half the effort goes to scripts that control when time passes.
    mutating func search<Output, Failure: Error>(_ runner: ScriptRunner<Output, Failure>, _ effort: Effort) {
        let sourceCount = runner.makeFixture().sourceCount
        let paces = runner.paces
        for runner in paces {
            let part = effort.divided(by: paces.count)
            var search = Search(runner: runner, effort: part, sourceCount: sourceCount, report: self)
            search.run()
            self = search.report
        }
    }

    /// Probes what scripts can't show.
    ///
    /// - Parameters:
    ///   - runner: The subject.
    ///   - threads: The findings of calls on other threads.
    ///   - isSource: Whether it has to stop when its subscription is released.
    mutating func probe<Output, Failure: Error>(
        _ runner: ScriptRunner<Output, Failure>, threads: [Finding], isSource: Bool = false
    ) {
        for finding in threads + runner.probe() where isSource || finding.rule != .droppedSubscription { take(finding) }
    }
}

extension Effort {
    /// The part of the effort for one of several searches that share it.
    func divided(by count: Int) -> Effort {
        var part = self
        part.systematicScripts /= count
        part.randomScripts /= count
        return part
    }

    /// What is left of the effort without a part of it.
    func without(_ part: Effort) -> Effort {
        var rest = self
        rest.systematicScripts -= part.systematicScripts
        rest.randomScripts -= part.randomScripts
        return rest
    }
}
