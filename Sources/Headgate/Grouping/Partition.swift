import HeadgateEngine

extension Publisher {
    /// Splits the values into two publishers: those that satisfy a predicate, and the others.
    ///
    /// ```
    /// self        1---2---3---4---|
    /// partition   isMultiple(of: 2)
    /// matches     ----2-------4---|
    /// nonMatches  1-------3-------|
    /// ```
    ///
    /// ```swift
    /// let numbers = PassthroughSubject<Int, Never>()
    /// let (even, odd) = numbers.partition { $0.isMultiple(of: 2) }
    /// let cancellables = [even.sink { print("even", $0) }, odd.sink { print("odd", $0) }]
    /// (1...3).forEach { numbers.send($0) }
    /// // odd 1
    /// // even 2
    /// // odd 3
    /// ```
    ///
    /// Both sides share one subscription to this publisher, which the first subscriber of either side starts. A side
    /// misses the values published before it has a subscriber, so an upstream that publishes synchronously has to be
    /// held back until both sides have one, with `makeConnectable` for example. A side without subscribers holds
    /// nothing back.
    ///
    /// - **Demand**: requests from upstream what the side further ahead needs, but at most `limit` values more than the
    ///   other side has consumed. So the sides are never further apart, and a side without demand holds the other one
    ///   back. A consumer that waits for both sides in turn, as `zip` does, needs a limit greater than the longest run
    ///   of values of one kind; `.max` means no limit, and buffers without a bound.
    /// - **Completion**: forwarded to both sides, after their values.
    /// - **Complexity**: one call of the closure per value and subscriber; memory for `limit` values.
    /// - **Threads**: values are delivered on the thread on which upstream delivers, or on that of a subscriber that
    ///   requests a buffered value.
    ///
    /// - Parameters:
    ///   - limit: How many values one side may be ahead of the other: at least one; traps otherwise.
    ///   - predicate: Whether a value belongs to the matches.
    @preconcurrency @inlinable public func partition(
        limit: Int = 16, _ predicate: @escaping @Sendable (Output) -> Bool
    ) -> (matches: AnyPublisher<Output, Failure>, nonMatches: AnyPublisher<Output, Failure>)
    where Output: Sendable {
        requireLimit(limit, "partition(limit:)")
        let hub = ReplayHub<Output, Failure>(name: "Partition", capacity: 0, lead: limit) {
            receive(subscriber: $0)
        }
        return (
            AnyPublisher(attaching: { hub.attach($0, isWanted: predicate) }),
            AnyPublisher(attaching: { hub.attach($0, isWanted: { !predicate($0) }) })
        )
    }
}
