import HeadgateCombine

@testable import HeadgateTesting
@testable import HeadgateVerification

/// What a publisher of the numbers from one up to a count should do about a script.
struct ServingModel {
    let count: Int

    /// Whether the end is known right after the last number, and not only when the next one is looked for.
    let knowsEnd: Bool

    private(set) var delivered = 0
    private(set) var isCancelled = false
    private(set) var hasFinished = false
    private var outstanding = Subscribers.Demand.none
    private var reactions: [Reaction] = []

    init(count: Int, knowsEnd: Bool = true) {
        self.count = count
        self.knowsEnd = knowsEnd
    }

    /// Whether nothing can happen any more.
    var isOver: Bool { isCancelled || hasFinished }

    mutating func perform(_ move: ScriptAction) {
        if isOver { return }
        switch move {
        case .request(let demand):
            outstanding += demand
            serve()
        case .cancel: isCancelled = true
        case .react(let reaction): reactions.append(reaction)
        default: preconditionFailure("A publisher that serves numbers is not driven by hand: \(move).")
        }
    }

    private mutating func serve() {
        while outstanding > .none, delivered < count {
            delivered += 1
            outstanding -= 1
            switch reactions.isEmpty ? .nothing : reactions.removeFirst() {
            case .nothing: break
            case .request(let demand), .answer(let demand), .requestElsewhere(let demand): outstanding += demand
            case .cancel, .cancelElsewhere:
                isCancelled = true
                return
            }
        }
        hasFinished = delivered == count && (knowsEnd || outstanding > .none)
    }

    /// Plays a script to a publisher and to the model, and throws if they differ.
    ///
    /// - Returns: What the model says that the script has come to.
    func play(_ script: [ScriptAction], to publisher: some Publisher<Int, Never>) throws -> ServingModel {
        var model = self
        let examiner = ProbeSubscriber<Int, Never>()
        publisher.subscribe(examiner)
        for move in script {
            model.perform(move)
            switch move {
            case .request(let demand): examiner.request(demand)
            case .cancel: examiner.cancel()
            case .react(let reaction): examiner.arrange(reaction)
            default: break
            }
        }
        let outcome = examiner.outcome
        examiner.leave()
        try expect("values", outcome.values, (0..<model.delivered).map { "\($0 + 1)" })
        try expect("end", outcome.ending, model.hasFinished ? "finished" : nil)
        try expect("breaches", outcome.breaches, [])
        return model
    }

    /// What a script has come to that ends here.
    var standing: ScriptFrontier<ScriptAction>.Standing { isOver ? .over : .open }
}
