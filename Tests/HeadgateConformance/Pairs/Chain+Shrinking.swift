extension Chain {
    /// The smallest chain that still fails: with fewer operators, a simpler source, and simpler demand.
    func shrunk() -> Chain {
        var smallest = self
        while let smaller = smallest.smaller.first(where: { $0.complaint() != nil }) { smallest = smaller }
        return smallest
    }

    /// The chain with as few operators as still fail.
    func withFewestStages() -> Chain {
        var shortest = self
        while let shorter = shortest.shorter.first(where: { $0.complaint() != nil }) { shortest = shorter }
        return shortest.ofOneStage ?? shortest
    }

    /// A failing chain of one of the operators, at whatever pace.
    private var ofOneStage: Chain? {
        if stages.count < 2 { return nil }
        for stage in stages {
            for form in Chain.forms(of: [stage]) {
                for pace in Pairs.paces {
                    let chain = Chain(source: source, stages: [stage], pace: pace, form: form)
                    if chain.complaint() != nil { return chain }
                }
            }
        }
        return nil
    }

    /// Chains with one operator less.
    private var shorter: [Chain] {
        if stages.count < 2 { return [] }
        return stages.indices.map { index in
            var chain = self
            chain.stages.remove(at: index)
            return chain
        }
    }

    /// What a complaint is about, without values.
    func kind(of complaint: String) -> String {
        let what = complaint.contains("while nothing is requested") ? "early" : "\(complaint.prefix { $0 != ":" })"
        return (stages.map(\.name) + [what]).joined(separator: "|")
    }

    /// Chains that are one step simpler.
    private var smaller: [Chain] {
        var chains = shorter
        func add(_ change: (inout Chain) -> Void) {
            var chain = self
            change(&chain)
            chains.append(chain)
        }
        if form != .erased { add { $0.form = .erased } }
        for other in source.simpler { add { $0.source = other } }
        for demand in Pace.Demand.allCases.prefix(while: { $0 != pace.demand }) { add { $0.pace.demand = demand } }
        if pace.cancelsAfter < Pace.late { add { $0.pace.cancelsAfter = Pace.late } }
        return chains
    }
}
