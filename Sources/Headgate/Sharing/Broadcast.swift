import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Gives the same values to several subscribers, at the pace of the slowest.
    ///
    /// ```
    /// self        1---2---3-------4---|
    /// broadcast   limit 2
    /// fast        1---2---3-------4---|
    /// slow        ^1  1   ^1  2   ^*  (34)|
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
    /// Upstream is subscribed to when there are as many subscribers as `to` says, so none of them misses the beginning.
    /// Whoever comes later hears what comes from then on. When the last one cancels before the end, upstream is cancelled;
    /// as many are awaited again.
    ///
    /// A subscriber that must not hold the others back takes a policy of its own, which requests everything:
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
    /// - **Demand**: upstream is requested what the foremost subscriber wants, and no more than `limit` values ahead of what
    ///   the slowest has been given. A subscriber that requests nothing so holds upstream back, and with it the others,
    ///   after `limit` values.
    /// - **Completion**: passed on to each after its values. Later subscribers hear it at once.
    /// - **Complexity**: constant time per value and subscriber; a request looks at all subscribers. Memory for `limit`
    ///   values.
    ///
    /// - Parameters:
    ///   - count: How many subscribers there have to be for the stream to begin: at least one, or it is a programmer's
    ///     error and traps.
    ///   - limit: How many values the foremost subscriber may be ahead of the slowest: at least one, or it traps.
    @inlinable public func broadcast(to count: Int = 1, limit: Int = 16) -> Publishers.Broadcast<Self> {
        Publishers.Broadcast(upstream: self, count: count, limit: limit)
    }
}

extension Publishers {
    /// A publisher that gives the values of another one to several subscribers, at the pace of the slowest.
    public final class Broadcast<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is shared.
        public let upstream: Upstream

        /// How many subscribers there have to be for the stream to begin.
        public let count: Int

        /// How many values the foremost subscriber may be ahead of the slowest.
        public let limit: Int

        @usableFromInline let hub: ReplayHub<Output, Failure>

        /// Makes the publisher that `broadcast(to:limit:)` returns.
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

        /// Connects a subscriber and, if there are enough now, upstream.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            hub.attach(subscriber)
        }
    }
}

// Everything that threads share is in the hub, which puts it in one order.
extension Publishers.Broadcast: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
