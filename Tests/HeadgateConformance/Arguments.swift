import HeadgateTesting
import HeadgateVerification

/// The command line.
struct Arguments {
    var isShort = false
    var isThorough = false
    var letsThreadsMeet = false
    var needsHelp = false

    var needsFigures = false

    /// Which operators are paired: all of them, or those of the central families and a sample.
    var pairs: Selection?

    /// The number of random chains of three operators.
    var triples = 0
    var seed: UInt64 = 1

    enum Selection { case sample, all }

    var directory: String?

    /// The names of candidates and families to verify; empty for all.
    var names: [String] = []

    /// A description of what can't be read.
    struct Trouble: Error {
        let description: String
    }

    init(_ arguments: some Sequence<String>) throws(Trouble) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--families": isShort = true
            case "--thorough": isThorough = true
            case "--figures": needsFigures = true
            case "--stress": letsThreadsMeet = true
            case "--help", "-h": needsHelp = true
            case "--pairs":
                pairs = .sample
                if rest.first == "all" {
                    rest.removeFirst()
                    pairs = .all
                }
            case "--triples": triples = try rest.popNumber(of: argument)
            case "--seed": seed = try rest.popNumber(of: argument)
            case "--page":
                guard let next = rest.popFirst(), !next.hasPrefix("-") else {
                    throw Trouble(description: "--page needs a directory.")
                }
                directory = next
            case _ where argument.hasPrefix("-"):
                throw Trouble(description: "Unknown option \(argument). --help lists the options.")
            default: names.append(argument)
            }
        }
    }

    /// Pairs operators as selected.
    func runPairs() -> Pairs {
        var run = Pairs()
        if let pairs { run.runPairs(sample: pairs == .all ? nil : (size: 2000, seed: seed)) }
        run.runTriples(triples, seed: seed)
        return run
    }

    /// The selected candidates.
    func choose(from catalogue: [Family<Candidate>]) throws(Trouble) -> [Family<Candidate>] {
        let known = Set(catalogue.map(\.title) + catalogue.flatMap(\.members).map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
            let lines = catalogue.flatMap { [$0.title] + $0.members.map { "  \($0.name)" } }
            throw Trouble(
                description: "There is no candidate \(unknown). There are:\n" + lines.joined(separator: "\n"))
        }
        return catalogue.map { family in
            let isWhole = names.isEmpty || names.contains(family.title)
            return Family(family.title, family.members.filter { isWhole || names.contains($0.name) })
        }
        .filter { !$0.members.isEmpty }
    }
}

extension Arguments {
    /// Verifies candidates with the selected method and effort.
    ///
    /// Candidates for a single thread are skipped with `--stress`.
    func reports(of families: [Family<Candidate>]) throws(Trouble) -> [Family<Page.Report>] {
        let reports = families.map { Family($0.title, $0.members.compactMap(report)) }.filter { !$0.members.isEmpty }
        if reports.isEmpty { throw Trouble(description: "None of these is used by several threads.") }
        return reports
    }

    private func report(of candidate: Candidate) -> Page.Report? {
        if letsThreadsMeet {
            return candidate.stress.map { Page.Report(candidate.name, $0(isThorough ? .thorough : .normal)) }
        }
        return Page.Report(candidate.name, candidate.verify(isThorough ? .thorough : .normal))
    }
}

extension ArraySlice<String> {
    fileprivate mutating func popNumber<Number: FixedWidthInteger>(
        of option: String
    ) throws(Arguments.Trouble) -> Number {
        guard let number = popFirst().flatMap({ Number($0) }), number >= 0 else {
            throw Arguments.Trouble(description: "\(option) needs a number.")
        }
        return number
    }
}
