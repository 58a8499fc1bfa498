import HeadgateEngine

extension Publisher {
    /// Sends the same values to several subscribers, at the pace of the slowest.
    ///
    /// ```
    /// self        1---2---3-------4---|
    /// broadcast   limit 2
    /// fast        1---2---3-------4---|
    /// requests    ^1------^1------^*
    /// slow        1-------2-------(34)|
    /// ```
    ///
    /// ```swift
    /// let shared = (1...3).publisher.broadcast(to: 2, limit: 16)
    /// let first = shared.sink { print("first", $0) }
    /// let second = shared.sink { print("second", $0) }
    /// // first 1
    /// // second 1
    /// // first 2
    /// // second 2
    /// // first 3
    /// // second 3
    /// ```
    ///
    /// Upstream is subscribed to when there are `to` subscribers, so none of them misses the beginning. A later
    /// subscriber receives the values from then on. When the last subscriber cancels before the completion, upstream is
    /// cancelled, and the publisher waits for `to` subscribers again.
    ///
    /// A subscriber that must not hold the others back uses a policy of its own, which requests unlimited values:
    ///
    /// ```swift
    /// let prices = PassthroughSubject<Int, Never>()
    /// let shared = prices.broadcast(to: 2, limit: 1)
    /// let display = shared.conflate().sink { _ in }
    /// let journal = shared.onBackpressureBuffer(limit: 100, whenFull: .dropOldest).sink { print($0) }
    /// prices.send(7)
    /// // 7
    /// ```
    ///
    /// - **Demand**: requests from upstream what the fastest subscriber requests, but at most `limit` values more than
    ///   the slowest has received. So a subscriber without demand holds upstream back, and with it the others, after
    ///   `limit` values.
    /// - **Completion**: forwarded to each subscriber after its values. Later subscribers receive it at once.
    /// - **Complexity**: constant time per value and subscriber; a request visits all subscribers. Memory for `limit`
    ///   values.
    /// - **Threads**: values are delivered on the thread on which upstream delivers, or on that of a subscriber that
    ///   requests a buffered value.
    ///
    /// - Parameters:
    ///   - count: How many subscribers have to arrive before the stream begins: at least one; traps otherwise.
    ///   - limit: How many values the fastest subscriber may be ahead of the slowest: at least one; traps otherwise.
    @inlinable public func broadcast(to count: Int = 1, limit: Int = 16) -> Publishers.Broadcast<Self> {
        Publishers.Broadcast(upstream: self, count: count, limit: limit)
    }
}

extension Publishers {
    /// A publisher that sends upstream's values to several subscribers, at the pace of the slowest.
    public final class Broadcast<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How many subscribers have to arrive before the stream begins.
        public let count: Int

        /// How many values the fastest subscriber may be ahead of the slowest.
        public let limit: Int

        @usableFromInline let hub: ReplayHub<Output, Failure>

        /// Creates the publisher that `broadcast(to:limit:)` returns.
        @inlinable public init(upstream: Upstream, count: Int, limit: Int) {
            requireLimit(count, "broadcast(to:)")
            requireLimit(limit, "broadcast(limit:)")
            self.upstream = upstream
            self.count = count
            self.limit = limit
            hub = ReplayHub(name: "Broadcast", capacity: 0, lead: limit, quorum: count) {
                upstream.receive(subscriber: $0)
            }
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            hub.attach(subscriber)
        }
    }
}

// All shared state is in the hub, which serialises it.
extension Publishers.Broadcast: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
