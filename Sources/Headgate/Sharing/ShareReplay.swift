import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Shares one subscription of this publisher, and gives late subscribers the last values first.
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
    /// The first subscriber connects it. When the last one cancels before the end, upstream is cancelled and the
    /// values are forgotten: the next subscriber begins anew. Once upstream has ended, the last values stay for whoever
    /// may come.
    ///
    /// - **Demand**: each subscriber has its own. Upstream is asked for what the foremost of them has asked for, and for
    ///   no more. Nothing is dropped because somebody is slow: what a subscriber has not read yet is kept for it, as
    ///   far behind as it may be, until it reads on or cancels.
    /// - **Completion**: follows behind the values. A late subscriber gets the last values as it asks for them, and the
    ///   completion, a failure too, behind the last of them.
    /// - **Complexity**: a constant for each value and subscriber; memory for the last `capacity` values, and for those
    ///   that the slowest subscriber has not read.
    ///
    /// - Parameter capacity: How many values are replayed at the most; zero and `.max` are allowed. A negative one is a
    ///   programmer's error and traps.
    @inlinable public func shareReplay(capacity: Int) -> Publishers.ShareReplay<Self> {
        Publishers.ShareReplay(upstream: self, capacity: capacity)
    }

    /// Shares one subscription of this publisher, and gives late subscribers the last values first, unless they have become
    /// too old.
    ///
    /// ```
    /// self      1--------2--------3---|
    /// replay    2, for 10
    /// early     1--------2--------3---|
    /// late             (1)2-------3---|
    /// later                 (2)---3---|
    /// ```
    ///
    /// ```swift
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
    /// A value is looked at when a subscriber comes, so one that is too old takes its place in memory until then or until
    /// newer ones need it. A subscriber that has come in time gets it, however slow it is. What stays when upstream has ended
    /// becomes too old, too.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of ``shareReplay(capacity:)``, and one look at the clock a value.
    ///
    /// - Parameters:
    ///   - count: How many values are replayed at the most; zero and `.max` are allowed. A negative number traps.
    ///   - interval: How old a value may become.
    ///   - scheduler: What tells the time.
    @inlinable public func share<Context: Scheduler>(
        replay count: Int, for interval: Context.SchedulerTimeType.Stride, scheduler: Context
    ) -> Publishers.ShareReplay<Self> {
        Publishers.ShareReplay(upstream: self, capacity: count, age: ReplayExpiry(interval, on: scheduler))
    }
}

extension Publishers {
    /// A publisher that shares one subscription of another publisher and replays the last values.
    public final class ShareReplay<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is shared.
        public let upstream: Upstream

        /// How many values are replayed at the most.
        public let capacity: Int

        @usableFromInline let hub: ReplayHub<Output, Failure>

        /// Makes the publisher that `shareReplay(capacity:)` returns.
        @inlinable public convenience init(upstream: Upstream, capacity: Int) {
            self.init(upstream: upstream, capacity: capacity, age: nil)
        }

        @usableFromInline init(upstream: Upstream, capacity: Int, age: (any ReplayAge)?) {
            if capacity < 0 {
                programmerError(
                    rule: "The capacity of shareReplay is a number of values and can't be negative.",
                    found: "\(capacity)", remedy: "Use 0 to replay nothing and .max to replay everything.")
            }
            self.upstream = upstream
            self.capacity = capacity
            hub = ReplayHub(capacity: capacity, age: age) { upstream.receive(subscriber: $0) }
        }

        /// Connects a subscriber and, if it is the first, upstream.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            hub.attach(subscriber)
        }
    }
}

// Everything that threads share is in the hub, which puts it in one order.
extension Publishers.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
