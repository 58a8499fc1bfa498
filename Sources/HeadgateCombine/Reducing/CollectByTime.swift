import HeadgateEngine

extension Publisher {
    /// Collects the values of each time span into an array.
    ///
    /// ```
    /// self      1-2---3---------4-|
    /// collect   ----
    ///           ----[1,2]-[3]-----([4]|)
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let queue = DispatchQueue(label: "work")
    /// for await numbers in (1...5).publisher.collect(.byTimeOrCount(queue, .seconds(1), 2)).values {
    ///     print(numbers)
    /// }
    /// // [1, 2]
    /// // [3, 4]
    /// // [5]
    /// ```
    ///
    /// The spans follow each other, beginning with the subscription. A span without values publishes nothing and needs
    /// no timer.
    ///
    /// - **Demand**: by time, unlimited values are requested from upstream: at once, or with the first demand if
    ///   upstream waits for demand. By time or count, `count` values are requested for each requested array. An array
    ///   without demand keeps growing up to the count, then the next one is started: no value is lost.
    /// - **Completion**: when upstream finishes, the values collected are published at once if there is demand, then
    ///   the completion. A failure is forwarded at once, in place of the values collected.
    /// - **Threads**: arrays and the completion are delivered on the scheduler; the subscription on the thread on which
    ///   upstream delivers it. `cancel()` reaches upstream on the calling thread.
    /// - **Complexity**: one reading of the clock per value, and one job per array.
    ///
    /// - Parameters:
    ///   - strategy: The length of a span, the scheduler that keeps the time and delivers the arrays, and an optional
    ///     count.
    ///   - options: Passed to the scheduler with every job.
    @preconcurrency @inlinable public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> where Output: Sendable {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

extension Publishers {
    /// Determines when an array of values is complete.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each time span.
        case byTime(Context, Context.SchedulerTimeType.Stride)

        /// At the end of each time span, and as soon as the array holds a given number of values, at least one.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// A publisher of arrays of the values that upstream publishes in each time span.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Determines when an array is complete.
        public let strategy: TimeGroupingStrategy<Context>

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `collect(_:options:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?
        ) where Upstream.Output: Sendable {
            if case .byTimeOrCount(_, _, let count) = strategy, count < 1 {
                programmerError(
                    rule: "An array of collected values must hold at least one.", found: "a count of \(count)",
                    remedy: "Use .byTime for no limit.")
            }
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            switch strategy {
            case .byTime(let scheduler, let interval):
                ScheduledConduit(
                    name: "CollectByTime", TimedGroups(limit: .max), .atBoundaries(interval.bounded),
                    requesting: .unlimited, on: scheduler, options: options, to: subscriber
                ).attach(to: upstream)
            case .byTimeOrCount(let scheduler, let interval, let count):
                upstream.receive(
                    subscriber: ScheduledConduit(
                        name: "CollectByTime", TimedGroups(limit: count), .atBoundaries(interval.bounded),
                        requesting: .max(count), on: scheduler, options: options, to: subscriber))
            }
        }
    }
}

extension Publishers.CollectByTime: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

/// The groups that are complete, and the one that is being filled.
@usableFromInline struct TimedGroups<Element, Failure: Error, Time>: Backlog {
    @usableFromInline let limit: Int

    @usableFromInline var full = Queue<[Element]>()

    @usableFromInline var open: [Element] = []

    /// When the open group is due, full or not.
    @usableFromInline var boundary: Time?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init(limit: Int) { self.limit = limit }

    @inlinable var due: Time? { full.isEmpty && completion == nil ? boundary : nil }

    // A group that is not complete waits for values.
    @inlinable var count: Int { full.isEmpty ? 0 : full.count * limit }

    @inlinable var length: Int { full.count + (open.isEmpty ? 0 : 1) + (completion == nil ? 0 : 1) }

    @inlinable mutating func add(_ input: Element, due: Time?) -> Element? {
        if open.isEmpty { boundary = due }
        open.append(input)
        if open.count == limit { full.append(exchange(&open, with: [])) }
        return nil
    }

    @inlinable mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
    }

    @inlinable mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<[Element], Failure> {
        if case .failure = completion { return completion.map { .completion($0) } ?? .nothing }
        if full.isEmpty, open.isEmpty { return completion.map { .completion($0) } ?? .nothing }
        if !isWanted() { return .unwanted }
        return .value(full.popFirst() ?? exchange(&open, with: []))
    }
}
