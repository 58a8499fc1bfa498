import HeadgateCore

/// Tries scripts, first in every order up to a depth, then at random, and keeps for each rule the smallest that breaks it.
struct Search<Output, Failure: Error> {
    let trial: Trial<Output, Failure>
    let effort: Effort

    /// The moves of which scripts are made in order.
    let alphabet: [Move]

    /// The ways to begin other than by asking for nothing.
    let beginnings: [Move]

    /// The moves of which random scripts are made.
    let randomAlphabet: [Move]

    /// Scripts in which the subscriber asks and upstream sends in turns, longer than those in every order can be.
    let turns: [[Move]]

    /// Scripts with requests that are larger than in the others, and of who cancels at once.
    let extremes: [[Move]]

    private(set) var found: [Rule: Verification.Evidence] = [:]
    private(set) var scriptCount = 0
    private(set) var coverage = Coverage()

    /// - Parameter sourceCount: How many upstreams are driven by hand.
    init(trial: Trial<Output, Failure>, effort: Effort, sourceCount: Int) {
        self.trial = trial
        self.effort = effort
        let source = (0..<sourceCount).flatMap { [Move.send(from: $0), .finish($0), .fail($0)] }
        let time: [Move] = trial.pace == .onWaiting ? [.wait] : []
        let one = Subscribers.Demand.max(1)
        alphabet =
            [.request(one)] + source + time + [
                .react(.answer(one)), .react(.request(one)), .react(.cancel), .cancel, .request(trial.everything),
            ]
        beginnings = [.begin(one), .begin(.max(2)), .begin(trial.everything)]
        randomAlphabet =
            alphabet + source + time + time + [
                .request(.none), .request(.max(2)), .request(.max(3)), .react(.nothing), .react(.answer(.max(2))),
                .react(.request(.max(2))), .react(.request(.none)), .react(.request(trial.everything)),
                .react(.answer(trial.everything)), .request(one),
            ]
        turns =
            sourceCount > 0 ? Self.turns(of: sourceCount, everything: trial.everything, pause: time) : []
        extremes = Self.extremes(of: sourceCount, everything: trial.everything, pause: time)
    }

    private static func send(_ count: Int, from sourceCount: Int) -> [Move] {
        (0..<count).flatMap { _ in (0..<sourceCount).map { Move.send(from: $0) } }
    }

    private static func turns(of sourceCount: Int, everything: Subscribers.Demand, pause: [Move]) -> [[Move]] {
        func send(_ count: Int) -> [Move] { Self.send(count, from: sourceCount) }
        let finish = (0..<sourceCount).map { Move.finish($0) }
        let (one, two) = (Subscribers.Demand.max(1), Subscribers.Demand.max(2))
        return [(one, one), (one, two), (two, one), (everything, one)].flatMap { first, second in
            [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)].map { before, after in
                [.request(first)] + pause + send(before) + pause + [.request(second)] + pause + send(after) + pause
                    + finish
            }
        }
    }

    /// Requests that are larger than a small buffer, and larger than what 32 bits hold, in one call and in two, by
    /// `request(_:)` and by answers; and cancellations from inside `receive(subscription:)`.
    private static func extremes(of sourceCount: Int, everything: Subscribers.Demand, pause: [Move]) -> [[Move]] {
        let one = Subscribers.Demand.max(1)
        let (many, half, full) = (
            Subscribers.Demand.max(20), Subscribers.Demand.max(1 << 31), Subscribers.Demand.max(1 << 32)
        )
        let asking: [[Move]] = [
            [.request(many)], [.react(.answer(many)), .request(one)], [.react(.request(many)), .request(one)],
            [.request(half)], [.request(full)], [.request(.max(1 << 31 - 1)), .request(one)],
            [.react(.answer(full)), .request(one)],
        ]
        let finish = (0..<sourceCount).map { Move.finish($0) }
        return asking.map { $0 + pause + send(21, from: sourceCount) + pause + finish }
            + [.none, everything].flatMap { demand -> [[Move]] in
                let moves: [Move] = [.beginCancelling(demand), .request(one)]
                return [moves, moves + send(2, from: sourceCount) + finish]
            }
    }

    /// Tries everything.
    mutating func run() {
        attempt([])
        attempt([.request(.none)])
        attempt([.request(.max(2)), .request(.max(3))])
        searchInOrder()
        searchInTurns()
        searchAtExtremes()
        searchAtRandom()
    }

    private mutating func searchInOrder() {
        // Half of a small effort goes to what is tried in order.
        let limit = effort.systematicScripts - min(turns.count + extremes.count, effort.systematicScripts / 2)
        var frontier = ScriptFrontier<Move>()
        frontier.add([], .open)
        for length in 1...max(1, effort.depth) {
            let isDone = frontier.grow(by: alphabet, lateActs: 2) { moves, isLate in
                if moves.last?.isReaction == true {
                    // Arranging a reaction shows nothing before a value comes.
                    return isLate || moves.suffix(3).filter(\.isReaction).count == 3 ? .pruned : .open
                }
                // Nothing has been left to do by waiting.
                if moves.last == .wait, moves.dropLast().last ?? .wait == .wait { return .pruned }
                return scriptCount >= limit ? nil : attempt(moves)
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

    private mutating func searchInTurns() {
        for moves in turns where scriptCount < effort.systematicScripts { attempt(moves, shrinks: true) }
    }

    private mutating func searchAtExtremes() {
        for moves in extremes where scriptCount < effort.systematicScripts { attempt(moves, shrinks: true) }
    }

    private mutating func searchAtRandom() {
        for offset in 0..<effort.randomScripts {
            let seed = effort.seed &+ UInt64(offset)
            var generator = SeededGenerator(seed: seed)
            let length = Int.random(in: 4...14, using: &generator)
            var moves = (0..<length).map { _ in
                randomAlphabet[Int.random(in: 0..<randomAlphabet.count, using: &generator)]
            }
            if Int.random(in: 0..<4, using: &generator) == 0,
                let beginning = beginnings.randomElement(using: &generator)
            {
                moves.insert(beginning, at: 0)
            }
            attempt(moves, seed: seed, shrinks: true)
        }
    }

    @discardableResult private mutating func attempt(
        _ moves: [Move], seed: UInt64? = nil, shrinks: Bool = false
    ) -> ScriptFrontier<Move>.Standing {
        scriptCount += 1
        let (outcome, wasEffective) = trial.run(moves)
        coverage.note(outcome)
        for breach in outcome.breaches where found[breach.rule] == nil {
            if shrinks {
                shrink(moves, breaking: breach.rule, seed: seed)
            } else {
                keep(breach, moves: moves, outcome: outcome, seed: nil)
            }
        }
        return !wasEffective ? .pruned : outcome.isOver ? .over : .open
    }

    private mutating func keep(_ breach: Breach, moves: [Move], outcome: Outcome, seed: UInt64?) {
        // Time passes behind a script, whether it says so or not.
        let waits = trial.pace == .onWaiting && moves.last != .wait
        found[breach.rule] = Verification.Evidence(
            breach: breach, script: (waits ? moves + [.wait] : moves).sentence, timeLine: outcome.timeLine, seed: seed)
    }

    /// Leaves out moves for as long as the rule is still broken.
    private mutating func shrink(_ moves: [Move], breaking rule: Rule, seed: UInt64?) {
        let smallest = moves.shrunk { shorter in
            scriptCount += 1
            return trial.run(shorter).outcome.breaches.contains { $0.rule == rule }
        }
        let outcome = trial.run(smallest).outcome
        guard let breach = outcome.breaches.first(where: { $0.rule == rule }) else { return }
        keep(breach, moves: smallest, outcome: outcome, seed: seed)
    }
}

extension Verification {
    /// Tries scripts, and where there is a scheduler gives half the effort to scripts that say where time passes.
    mutating func search<Output, Failure: Error>(_ trial: Trial<Output, Failure>, _ effort: Effort) {
        let rig = trial.makeRig()
        let sourceCount = rig.source == nil ? 0 : rig.sourceCount
        let trials = trial.usesAScheduler ? [trial, trial.waiting] : [trial]
        for trial in trials {
            var search = Search(trial: trial, effort: effort.divided(by: trials.count), sourceCount: sourceCount)
            search.run()
            scriptCount += search.scriptCount
            coverage.add(search.coverage)
            take(search.found)
        }
    }
}

extension Verification {
    /// Looks at what scripts can't show.
    ///
    /// - Parameters:
    ///   - trial: What to look at.
    ///   - threads: What calls on other threads have shown before.
    ///   - isSource: Whether it has to stop when its subscription is forgotten.
    mutating func probe<Output, Failure: Error>(
        _ trial: Trial<Output, Failure>, threads: [Finding], isSource: Bool = false
    ) {
        for finding in threads + trial.probe() where isSource || finding.rule != .droppedSubscription { take(finding) }
    }
}

extension Effort {
    /// So much of the effort that as many searches as that come to no more than the whole.
    func divided(by count: Int) -> Effort {
        var part = self
        part.systematicScripts /= count
        part.randomScripts /= count
        return part
    }
}
