import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes arrays of the values of each span of time.
    ///
    /// ```
    /// self      1-2---3---------4-|
    /// collect   ----
    ///           ----[1,2]-[3]-----([4]|)
    /// ```
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// for await numbers in (1...5).publisher.collect(.byTimeOrCount(queue, .seconds(1), 2)).values {
    ///     print(numbers)
    /// }
    /// // [1, 2]
    /// // [3, 4]
    /// // [5]
    /// ```
    ///
    /// The spans follow each other from the subscription on. A span without a value publishes nothing, and takes no timer.
    ///
    /// - **Demand**: by time, upstream is asked for everything. By time or count, it is asked for `count` values for each
    ///   array that is asked for. An array that nobody has asked for goes on growing, up to the count, and then another is
    ///   begun: no value is lost.
    /// - **Completion**: when upstream finishes, what has been collected is published at once if it has been asked for, and
    ///   the completion behind it. A failure is passed on at once, in place of what has been collected.
    /// - **Complexity**: one look at the clock a value, and one job for each array.
    ///
    /// - Parameters:
    ///   - strategy: How long a span is, what tells the time and where arrays are delivered, and how many values are enough.
    ///   - options: Passed to the scheduler with every job.
    @inlinable public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> where Output: StrictlySendable {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

extension Publishers {
    /// When an array of values is complete.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each span of time.
        case byTime(Context, Context.SchedulerTimeType.Stride)

        /// At the end of each span of time, and as soon as there are so many values, one at the least.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// A publisher of arrays of the values that another publisher publishes in each span of time.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// Arrays of the values of upstream.
        public typealias Output = [Upstream.Output]

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream

        /// When an array is complete.
        public let strategy: TimeGroupingStrategy<Context>

        /// What is passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher that `collect(_:options:)` returns.
        @inlinable public init(
            upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?
        ) where Upstream.Output: StrictlySendable {
            if case .byTimeOrCount(_, _, let count) = strategy, count < 1 {
                programmerError(
                    rule: "An array is complete with one value at the least.", found: "a count of \(count)",
                    remedy: "Use .byTime to have no limit.")
            }
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            typealias Collected = TimedGroups<Upstream.Output, Failure, Context.SchedulerTimeType>
            switch strategy {
            case .byTime(let scheduler, let interval):
                upstream.receive(
                    subscriber: ScheduledConduit(
                        name: "CollectByTime", Collected(limit: .max), .atBoundaries(interval), asking: .everything,
                        on: scheduler, options: options, to: subscriber))
            case .byTimeOrCount(let scheduler, let interval, let count):
                upstream.receive(
                    subscriber: ScheduledConduit(
                        name: "CollectByTime", Collected(limit: count), .atBoundaries(interval),
                        asking: .multiple(count), on: scheduler, options: options, to: subscriber))
            }
        }
    }
}

extension Publishers.CollectByTime: StrictlySendable
where
    Upstream: StrictlySendable, Context: StrictlySendable, Context.SchedulerOptions: StrictlySendable,
    Context.SchedulerTimeType.Stride: StrictlySendable
{}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

/// Values in groups: those that have reached the limit, and the one that is being filled.
@usableFromInline struct TimedGroups<Element, Failure: Error, Time>: Backlog {
    @usableFromInline let limit: Int

    @usableFromInline var full = Queue<[Element]>()

    @usableFromInline var open: [Element] = []

    /// When the open group is due, full or not.
    @usableFromInline var boundary: Time?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init(limit: Int) { self.limit = limit }

    @inlinable var due: Time? { full.isEmpty && completion == nil ? boundary : nil }

    @inlinable mutating func add(_ input: Element, due: Time?) -> Element? {
        if open.isEmpty { boundary = due }
        open.append(input)
        if open.count == limit { full.append(exchange(&open, with: [])) }
        return nil
    }

    @inlinable mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
    }

    @inlinable mutating func takeNext(reopening: Time?, isWanted: () -> Bool) -> Delivery<[Element], Failure> {
        if case .failure = completion { return completion.map { .completion($0) } ?? .nothing }
        if full.isEmpty, open.isEmpty { return completion.map { .completion($0) } ?? .nothing }
        if !isWanted() { return .unwanted }
        return .value(full.popFirst() ?? exchange(&open, with: []))
    }
}
