extension Flow {
    /// The section of a pipeline that limits its throughput.
    ///
    /// A stage that waits makes those after it wait, so the starvation that a section adds to that of the stage before
    /// it is its own. While
    ///
    /// - the last stage is not starved, but busy or held, the sink limits;
    /// - a stage and all those after it are starved, and the one before it is not, the section between the two limits;
    /// - all stages are starved, the source limits.
    ///
    /// These shares of the time are computed from those of the single stages, so the share of several is that of the
    /// least starved of them. They add up to one, and the section with the greatest is the limit. If that is the
    /// source, but nearly all of the waiting began when it had delivered everything that had been requested, the
    /// source may not be slow: too few values are requested at a time.
    public enum Limit: Hashable, Sendable {
        /// What is upstream of a stage.
        case source(before: String)

        /// What is between two stages.
        case section(after: String, before: String)

        /// What is downstream of a stage.
        case sink(after: String)

        /// The requests that arrive at a stage: more values at a time might be answered as fast.
        case requests(after: String)
    }
}

extension Flow.Limit: CustomStringConvertible {
    /// The place, as text.
    public var description: String {
        switch self {
        case .source(let stage): "the source before \(flowLabel(stage))"
        case .section(let first, let second): "what is between \(flowLabel(first)) and \(flowLabel(second))"
        case .sink(let stage): "what follows \(flowLabel(stage))"
        case .requests(let stage): "the small requests that arrive at \(flowLabel(stage))"
        }
    }
}

/// A name on one line, in quotation marks if it contains other characters than are usual in a name.
func flowLabel(_ name: String) -> String {
    let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\"" && $0 != "\\" && $0.value != 127 }
    let hasEdges = !name.isEmpty && name.first != " " && name.last != " "
    return isPlain && hasEdges ? name : name.debugDescription
}

/// What is read of a stage at one moment.
struct StageReading {
    let name: String
    let sums: StageSums
    /// The numbers of the stages directly upstream.
    let upstreams: Set<Int>

    /// How many streams run at a time, on average; at least one.
    var parallel: Double { sums.span > 0 ? max(1, alive / sums.span) : 1 }

    /// The time of all streams together.
    var alive: Double { sums.busy + sums.starved + sums.held }

    /// The numbers of the stages, each after those upstream of it, and otherwise as they were created.
    static func order(_ readings: [StageReading]) -> [Int] {
        var order: [Int] = []
        var visited: Set<Int> = []
        func visit(_ number: Int) {
            guard number < readings.count, visited.insert(number).inserted else { return }
            for upstream in readings[number].upstreams.sorted() { visit(upstream) }
            order.append(number)
        }
        for number in readings.indices { visit(number) }
        return order
    }
}

/// Finds the section that limits a flow, by the rule of `Flow.Limit`.
struct FlowAnalysis {
    private let readings: [StageReading]

    init(_ readings: [StageReading]) { self.readings = readings }

    var limit: Flow.Limit? {
        let whole = readings.map { $0.alive / $0.parallel }.max() ?? 0
        let inner = Set(readings.flatMap(\.upstreams))
        var best: (share: Double, limit: Flow.Limit)?
        // From each stage that has none downstream; streams that feed themselves may leave no such stage.
        let outer = readings.indices.filter { !inner.contains($0) }
        for last in outer.isEmpty ? Array(readings.indices) : outer {
            for part in parts(upTo: last, of: whole) where part.share > (best?.share ?? 0) { best = part }
        }
        return best?.limit
    }

    /// The share of each section on the way to a stage.
    private func parts(upTo last: Int, of whole: Double) -> [(share: Double, limit: Flow.Limit)] {
        let path = path(to: last)
        // A chain is as old as the oldest of its stages: one that has ended has nothing to wait for.
        let age = path.map { readings[$0].alive / readings[$0].parallel }.max() ?? 0
        guard age > 0 else { return [] }
        let weight = age / whole
        // From the sink upwards, how much of the time all stages from here on are starved.
        var below = 1.0
        var parts: [(share: Double, limit: Flow.Limit)] = []
        var limit = Flow.Limit.sink(after: readings[last].name)
        for (place, number) in path.enumerated().reversed() {
            let stage = readings[number]
            let starved = min(below, stage.sums.starved / stage.parallel / age)
            parts.append(((below - starved) * weight, limit))
            below = starved
            if place > 0 { limit = .section(after: readings[path[place - 1]].name, before: stage.name) }
        }
        let first = readings[path[0]]
        let isAnswered = first.sums.answered > first.sums.starved * 3 / 4
        parts.append((below * weight, isAnswered ? .requests(after: first.name) : .source(before: first.name)))
        return parts
    }

    /// The stages on the way to one: of several directly upstream of a stage, the one whose starvation explains most.
    private func path(to last: Int) -> [Int] {
        var path = [last]
        var number = last
        while true {
            let own = share(number)
            let candidates = readings[number].upstreams.filter { $0 < readings.count && !path.contains($0) }.sorted()
            let explaining = candidates.filter { share($0) <= own }.max { share($0) < share($1) }
            guard let next = explaining ?? candidates.min(by: { share($0) < share($1) }) else { break }
            path.append(next)
            number = next
        }
        return path.reversed()
    }

    private func share(_ number: Int) -> Double {
        readings[number].alive > 0 ? readings[number].sums.starved / readings[number].alive : 0
    }
}
