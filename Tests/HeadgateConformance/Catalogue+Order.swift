import HeadgateTesting

/// The operators that are documented to hand their subscription downstream before they subscribe upstream: rule 1.7.
extension Candidate {
    /// Names of rows of the catalogue, by the reason that the operators' documentation gives.
    static let ordersOfTheirOwn: [String: [String]] = [
        "its subscribers are attached before it is connected": [
            "share", "shareUntilFailure", "shareReplay(capacity: 2)", "share(replay: 2)", "share(replay: 2, for:)",
            "cached(for:)",
            "multicast.autoconnect", "multicast(subject:).autoconnect", "makeConnectable.autoconnect",
            "makeConnectable.autoconnect(after: 1)", "broadcast", "broadcast(limit: 1)", "partition",
            "partition(limit: 1)",
        ],
        "it subscribes to something else first, or later": ["delaySubscription(for:)", "usingWhen"],
        "it subscribes to a batch when values of it are requested": ["flatMapBatches(of: 1)"],
    ]

    /// The row, excused from rule 1.7 if its operator is documented to differ.
    var excusedForItsOrder: Candidate {
        guard let reason = Self.ordersOfTheirOwn.first(where: { $0.value.contains(name) })?.key else { return self }
        return excusing(.subscribesUpstreamFirst, because: reason)
    }
}
