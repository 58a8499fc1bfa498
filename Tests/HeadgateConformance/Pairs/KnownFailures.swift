/// A kind of failure that is known, and why it stays for now.
///
/// All pairs are run with `--pairs all`, which fails if one of these no longer occurs.
struct KnownFailure {
    let reason: String
    let matches: (_ chain: Chain, _ complaint: String) -> Bool

    static var all: [KnownFailure] {
        [
            KnownFailure(reason: "A request is made after synchronous values have used up the demand that it is for.") {
                $1.contains("while nothing is requested")
                    && $0.has("flatMapFirst", "flatMapSequential(maxConcurrent: 2)", "combineLatest")
            },
            KnownFailure(reason: "Sharing does not stop when its last subscriber leaves while it connects.") {
                $1 == Chain.endlessly && $0.has("share", "multicast", "makeConnectable", "cached")
            },
            KnownFailure(reason: "All members are subscribed to before the first one is requested from.") {
                $0.has("merge(", "MergeMany") && ($1.contains("failed") || $1 == Chain.endlessly)
            },
            KnownFailure(
                reason: "With limited demand, flatMap reads all of an upstream that may not wait, as in Combine."
            ) {
                $1 == Chain.endlessly && !$0.pace.demand.isUnlimited && $0.has("flatMap")
            },
            KnownFailure(reason: "zip requests everything of an upstream that may not wait, as in Combine.") {
                $1 == Chain.endlessly && $0.pace.demand.isUnlimited && $0.has("zip", "flatMapBatches")
            },
            KnownFailure(reason: "Operators that read ahead do so while operators after them connect.") { chain, _ in
                chain.stages.dropLast().contains { $0.traits.isSuperset(of: [.paced, .asksFirst]) }
            },
            KnownFailure(reason: "What is shared is not taken for a stream that waits for demand.") { chain, _ in
                chain.stages.count > 1 && chain.has("share", "multicast", "makeConnectable")
            },
            KnownFailure(reason: "Behind a hop to a scheduler that has not run yet, an endless source is read on.") {
                $1 == Chain.endlessly && $0.has("receive(on:)", "delay(for:)", "timeout")
                    && $0.has("expand(.breadthFirst)", "rateLimit", "interval")
            },
            KnownFailure(reason: "The run ends before the time that it takes a delayed source to fill the last chunk.")
            {
                $1.contains("stalls") && $0.has("delay(for:)") && $0.has("chunked", "sliding", "collect")
            },
            KnownFailure(reason: "A failure of upstream overtakes the publisher made from its last value.") {
                $1.contains("stalls") && $1.contains("failed") && $0.has("expand(.depthFirst)")
            },
            KnownFailure(reason: "A window that has been cancelled reads on.") {
                $1 == Chain.endlessly && $0.has("window")
            },
        ]
    }
}

extension Chain {
    /// Whether the name of an operator contains one of these.
    fileprivate func has(_ parts: String...) -> Bool {
        stages.contains { stage in parts.contains { stage.name.contains($0) } }
    }
}
