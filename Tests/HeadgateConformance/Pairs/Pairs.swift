import HeadgateTesting

/// Every operator before and after every other, over every source, at every pace.
struct Pairs {
    static var families: [Family<Stage>] {
        [
            Stage.transforming, Stage.filtering, Stage.trimming, Stage.observing, Stage.reducing, Stage.joining,
            Stage.combining, Stage.flattening, Stage.recovering, Stage.buffering, Stage.sharing, Stage.grouping,
            Stage.scheduling, Stage.timing,
        ]
    }

    /// The families whose operators are paired with each other always.
    static let central: Set = ["Joining", "Combining", "Flattening", "Buffering", "Sharing", "Scheduling", "Timing"]

    /// The paces at which each chain runs.
    static let paces: [Pace] =
        Pace.Demand.allCases.map { Pace(demand: $0, cancelsAfter: Pace.late) }
        + [1, 2, 3].map { Pace(demand: .unlimited, cancelsAfter: $0) }
        + [1, 3].map { Pace(demand: .returned, cancelsAfter: $0) }

    /// The failures that were found, by the smallest chain that shows them.
    private(set) var failures: [(chain: Chain, complaint: String, count: Int)] = []

    /// The indices of failures, by the operators and what is wrong.
    private var places: [String: Int] = [:]

    /// The chains over a hot source that fail, of as few operators as do.
    private(set) var hotFailures: [(chain: HotChain, complaint: String, count: Int)] = []

    var hasFailures: Bool { !failures.isEmpty || !hotFailures.isEmpty }

    private(set) var runCount = 0
    private(set) var chainCount = 0

    private let sources = Source.all

    /// Runs a chain of operators over every source at every pace, up to its first failure over each source.
    mutating func run(_ stages: [Stage]) {
        chainCount += 1
        run(HotChain(stages: stages))
        for source in sources {
            var isBroken = false
            for form in Chain.forms(of: stages) {
                for pace in Pairs.paces where !isBroken {
                    isBroken = run(Chain(source: source, stages: stages, pace: pace, form: form))
                }
            }
        }
    }

    /// Runs one chain; whether it fails.
    @discardableResult mutating func run(_ chain: Chain) -> Bool {
        runCount += 1
        guard chain.complaint() != nil else { return false }
        let shorter = chain.withFewestStages()
        // Chains of the same operators fail for the same reason, unless they complain of something else.
        let kind = shorter.kind(of: shorter.complaint() ?? "")
        if let place = places[kind] {
            failures[place].count += 1
        } else {
            let smallest = shorter.shrunk()
            let complaint = smallest.complaint() ?? ""
            let place = places[smallest.kind(of: complaint), default: failures.count]
            if place == failures.count { failures.append((smallest, complaint, 0)) }
            failures[place].count += 1
            places[kind] = place
            places[smallest.kind(of: complaint)] = place
        }
        return true
    }

    /// Runs operators over a source that loses what nobody has requested.
    private mutating func run(_ chain: HotChain) {
        runCount += 1
        guard let complaint = chain.complaint else { return }
        let single = chain.stages.lazy.map { HotChain(stages: [$0]) }.first { $0.complaint != nil }
        let smallest = single ?? chain
        if let place = hotFailures.firstIndex(where: { $0.chain.name == smallest.name }) {
            hotFailures[place].count += 1
        } else {
            hotFailures.append((smallest, smallest.complaint ?? complaint, 1))
        }
    }

    /// All pairs, or those of the central families and a sample of the others.
    mutating func runPairs(sample: (size: Int, seed: UInt64)?) {
        let families = Pairs.families
        let all = families.flatMap(\.members)
        let central = Set(families.filter { Pairs.central.contains($0.title) }.flatMap(\.members).map(\.name))
        all.forEach { run([$0]) }
        var rest: [[Stage]] = []
        for first in all {
            for second in all {
                if sample == nil || central.isSuperset(of: [first.name, second.name]) {
                    run([first, second])
                } else {
                    rest.append([first, second])
                }
            }
        }
        guard let sample else { return }
        var generator = SeededGenerator(seed: sample.seed)
        for pair in rest.shuffled(using: &generator).prefix(sample.size) { run(pair) }
    }

    /// Random chains of three operators, each over one source at one pace.
    mutating func runTriples(_ count: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let all = Pairs.families.flatMap(\.members)
        for _ in 0..<count {
            let stages = (0..<3).map { _ in all.randomElement(using: &generator)! }
            chainCount += 1
            run(HotChain(stages: stages))
            run(
                Chain(
                    source: sources.randomElement(using: &generator)!, stages: stages,
                    pace: Pairs.paces.randomElement(using: &generator)!,
                    form: Chain.forms(of: stages).randomElement(using: &generator)!))
        }
    }

    /// What was found, as text.
    var report: String {
        let sorted = failures.sorted { ($0.chain.stages.count, $1.count) < ($1.chain.stages.count, $0.count) }
        let programs = sorted.map { failure in
            "// \(failure.chain.name) (\(failure.count) times)\n// \(failure.complaint)\n\(failure.chain.code)\n"
        }
        let hot = hotFailures.map { "// \($0.chain.name) (\($0.count) times)\n// \($0.complaint)\n" }
        let kinds = failures.count + hotFailures.count
        return
            (programs + hot + ["\(chainCount) chains, \(runCount) runs, \(kinds) kinds of failures"])
            .joined(separator: "\n")
    }
}
