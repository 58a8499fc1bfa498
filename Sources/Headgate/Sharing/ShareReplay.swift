import HeadgateEngine

extension Publisher {
    /// Shares one subscription to this publisher, and replays the most recent values to late subscribers.
    ///
    /// ```
    /// self           1---2---3---4---|
    /// shareReplay 2
    /// early          1---2---3---4---|
    /// late                     (23)4-|
    /// very late                        (34|)
    /// ```
    ///
    /// ```swift
    /// let shared = (1...5).publisher.shareReplay(capacity: 2)
    /// let first = shared.sink { print("first", $0) }
    /// // first 1
    /// // first 2
    /// // first 3
    /// // first 4
    /// // first 5
    /// let second = shared.sink { print("second", $0) }
    /// // second 4
    /// // second 5
    /// ```
    ///
    /// The first subscriber connects upstream. When the last one cancels before the completion, upstream is cancelled
    /// and the values are dropped: the next subscriber starts again. After upstream has completed, the most recent
    /// values are kept for later subscribers.
    ///
    /// - **Demand**: each subscriber has its own. Requests from upstream exactly what the fastest of them requests.
    ///   Nothing is dropped because a subscriber is slow: its unread values are kept, however many, until it requests
    ///   them or cancels.
    /// - **Completion**: follows the values. A late subscriber receives the replayed values as it requests them, and
    ///   the completion, even a failure, after the last of them.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, to one subscriber after the
    ///   other, and one that has waited or is replayed on the thread of the subscriber's request. All subscribers share
    ///   one turn: of threads that deliver and request at the same time, one waits for the other, or leaves its work to
    ///   it if that takes long (rule 3.6 of the contract).
    /// - **Complexity**: constant time per value and subscriber; memory for the `capacity` most recent values, and for
    ///   those that the slowest subscriber has not received.
    ///
    /// - Parameter capacity: The maximum number of replayed values; zero and `.max` are allowed. A negative number
    ///   traps.
    @inlinable public func shareReplay(capacity: Int) -> Publishers.ShareReplay<Self> {
        Publishers.ShareReplay(upstream: self, capacity: capacity)
    }

    /// Shares one subscription to this publisher, and replays the most recent values to late subscribers, unless these
    /// values have expired.
    ///
    /// ```
    /// self      1--------2--------3---|
    /// replay    2, for 10
    /// early     1--------2--------3---|
    /// late             1-2--------3---|
    /// later                 2-----3---|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let source = PassthroughSubject<Int, Never>()
    /// let shared = source.share(replay: 2, for: .seconds(10), scheduler: scheduler)
    /// let early = shared.sink { _ in }
    /// source.send(1)
    /// scheduler.advance(by: .seconds(6))
    /// source.send(2)
    /// scheduler.advance(by: .seconds(6))
    /// let late = shared.sink { print($0) }
    /// // 2
    /// ```
    ///
    /// A value's age is checked when a subscriber arrives, so an expired value stays in memory until then or until
    /// newer ones need its place. A subscriber that arrived in time receives it, however slow it is. Values kept after
    /// the completion expire, too.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of ``shareReplay(capacity:)``, plus one
    /// reading of the clock per value.
    ///
    /// - Parameters:
    ///   - count: The maximum number of replayed values; zero and `.max` are allowed. A negative number traps.
    ///   - interval: The age at which a value expires.
    ///   - scheduler: The scheduler that measures time.
    @inlinable public func share<Context: Scheduler>(
        replay count: Int, for interval: Context.SchedulerTimeType.Stride, scheduler: Context
    ) -> Publishers.ShareReplay<Self> {
        Publishers.ShareReplay(upstream: self, capacity: count, age: ReplayExpiry(interval, on: scheduler))
    }
}

extension Publishers {
    /// A publisher that shares one subscription to upstream and replays the most recent values.
    public final class ShareReplay<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of replayed values.
        public let capacity: Int

        @usableFromInline let hub: ReplayHub<Output, Failure>

        /// Creates the publisher that `shareReplay(capacity:)` returns.
        @inlinable public convenience init(upstream: Upstream, capacity: Int) {
            self.init(upstream: upstream, capacity: capacity, age: nil)
        }

        @inlinable init(upstream: Upstream, capacity: Int, age: (any ReplayAge)?) {
            require(
                capacity >= 0, rule: "The capacity of shareReplay is a number of values and can't be negative.",
                found: "\(capacity)", remedy: "Use 0 to replay nothing and .max to replay everything.")
            self.upstream = upstream
            self.capacity = capacity
            hub = ReplayHub(capacity: capacity, age: age) { upstream.receive(subscriber: $0) }
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            hub.attach(subscriber)
        }
    }
}

// All shared state is in the hub, which serialises it.
extension Publishers.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
