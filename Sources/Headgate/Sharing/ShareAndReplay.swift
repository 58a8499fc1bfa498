extension Publisher {
    /// Shares one subscription to this publisher, and replays the most recent values to late subscribers.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// early     1---2---3---4---|
    /// late              (23)4---|
    /// ```
    ///
    /// ```swift
    /// let source = PassthroughSubject<Int, Never>()
    /// let shared = source.share(replay: 1)
    /// let early = shared.sink { print("early", $0) }
    /// source.send(1)
    /// // early 1
    /// let late = shared.sink { print("late", $0) }
    /// // late 1
    /// ```
    ///
    /// The values are kept when the last subscriber leaves, and the next one begins with them. If that is wrong, or
    /// only what its subscribers request should be requested from upstream, use ``shareReplay(capacity:)``.
    ///
    /// - **Demand**: each subscriber has its own. Requests unlimited values from upstream when the first subscriber has
    ///   subscribed; if upstream waits for demand, as a sequence does, after the first request.
    /// - **Completion**: forwarded, to late subscribers too, after the replayed values.
    /// - **Threads**: upstream's: all subscribers receive a value on the thread on which upstream delivers it, one
    ///   after the other; one that is replayed or has waited, on the thread of the subscriber's request. Upstream is
    ///   subscribed to and requested from by the first subscriber, or requested from by the first request, and
    ///   cancelled by the last to cancel, each on its thread.
    /// - **Complexity**: that of ``ReplaySubject``.
    ///
    /// - Parameter count: The maximum number of replayed values; zero and `.max` are allowed. A negative number traps.
    @preconcurrency @inlinable public func share(
        replay count: Int
    ) -> Publishers.Autoconnect<Publishers.Multicast<Self, ReplaySubject<Output, Failure>>>
    where Output: Sendable {
        multicast(subject: ReplaySubject(bufferSize: count, opensOnDemand: true)).autoconnect()
    }
}
