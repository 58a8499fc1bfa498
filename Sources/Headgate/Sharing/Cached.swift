import HeadgateEngine

extension Publisher {
    /// Serves all subscribers from one run of this publisher while it is active, and for an interval after it has
    /// finished.
    ///
    /// ```
    /// self      ---1|
    /// again                               ---2|
    /// cached    20
    /// early     ---1|
    /// late              (1|)
    /// later                               ---2|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    /// import Synchronization
    ///
    /// let scheduler = TestScheduler()
    /// let last = Atomic(0)
    /// let price = Deferred { Just(last.add(100, ordering: .relaxed).newValue) }
    ///     .cached(for: .seconds(60), scheduler: scheduler)
    /// let first = price.sink { print($0) }
    /// let second = price.sink { print($0) }
    /// scheduler.advance(by: .seconds(60))
    /// let third = price.sink { print($0) }
    /// // 100
    /// // 100
    /// // 200
    /// ```
    ///
    /// A subscriber that joins a run receives all its values from the first one on. A failed run is not kept: its
    /// subscribers receive the failure, and the next subscriber starts another run. A subscriber also starts another
    /// run when the current one has published more values than the limit.
    ///
    /// - **Demand**: each subscriber has its own. Requests from upstream what the fastest of them requests.
    /// - **Completion**: follows the values. A run whose subscribers have all cancelled is cancelled.
    /// - **Threads**: those of ``shareReplay(capacity:)``. The scheduler's clock is read on the subscribing thread, and
    ///   on that on which a run completes; nothing runs on the scheduler.
    /// - **Complexity**: that of ``shareReplay(capacity:)`` while a run is active. Of one that has finished, only the values
    ///   are kept. Those of an expired run stay in memory until the next subscriber arrives.
    ///
    /// - Parameters:
    ///   - interval: How long a run is kept after it has finished.
    ///   - limit: The maximum number of values kept. A negative number traps.
    ///   - scheduler: The scheduler that measures time. Nothing is scheduled.
    @inlinable public func cached<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, limit: Int = 1024, scheduler: Context
    ) -> Publishers.Cached<Self, Context> {
        Publishers.Cached(upstream: self, interval: interval, limit: limit, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher that serves all subscribers from one run of upstream for a while.
    public final class Cached<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// What the next subscriber finds.
        @usableFromInline enum Kept {
            case nothing
            case running(Run)
            case finished(ContiguousArray<Output>, until: Context.SchedulerTimeType)
        }

        /// What the lock guards.
        @usableFromInline struct State {
            @usableFromInline var kept = Kept.nothing

            /// Counts the changes of `kept`.
            @usableFromInline var version: UInt32 = 0

            @inlinable init() {}

            /// - Returns: What was kept, to be released outside the lock.
            @inlinable mutating func keep(_ new: Kept) -> Kept {
                version &+= 1
                return exchange(&kept, with: new)
            }

            /// Adds nothing more to a run, and keeps something else in its place, if it is still kept.
            ///
            /// - Returns: What is to be released outside the lock.
            @inlinable mutating func close(_ run: Run, keeping new: Kept) -> (Kept?, ContiguousArray<Output>) {
                run.isOver = true
                let values = exchange(&run.values, with: [])
                guard case .running(let kept) = kept, kept === run else { return (nil, values) }
                return (keep(new), values)
            }
        }

        /// One run, while it is active.
        @usableFromInline final class Run {
            // Under the lock.
            /// What it has published, for those that come after it.
            @exclusivity(unchecked) @usableFromInline var values = ContiguousArray<Output>()
            /// Whether it has ended, or has published too many values.
            @exclusivity(unchecked) @usableFromInline var isOver = false
            // Set once, before the first subscriber joins.
            @exclusivity(unchecked) @usableFromInline var shared: ShareReplay<HandleEvents<Upstream>>?

            @inlinable init() {}
        }

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long a run is kept after it has finished.
        public let interval: Context.SchedulerTimeType.Stride

        /// The maximum number of values kept.
        public let limit: Int

        /// The scheduler that measures time.
        public let scheduler: Context

        // This lock guards all members of a run except `shared`.
        @usableFromInline let state = Guarded(State())

        /// Creates the publisher.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, limit: Int, scheduler: Context
        ) {
            require(
                limit >= 0, rule: "The limit of a cache is a number of values and can't be negative.",
                found: "cached(limit: \(limit))",
                remedy: "Use 0 to share only runs that have not published anything yet.")
            self.upstream = upstream
            self.interval = interval
            self.limit = limit
            self.scheduler = scheduler
        }

        /// Attaches a subscriber to the current run, or to a new one.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            var candidate: Run?
            while true {
                let now = scheduler.now
                let (kept, version) = state.withLock { ($0.kept, $0.version) }
                switch kept {
                case .running(let run): return join(run, subscriber)
                // Compared outside the lock, because the time is user code.
                case .finished(let values, let end): if now < end { return replay(values, subscriber) }
                case .nothing: break
                }
                let new = candidate ?? makeRun()
                candidate = new
                // Another thread may have begun a run meanwhile, which may even have finished, and be as good as this.
                if begin(new, ifStill: version) { return join(new, subscriber) }
            }
        }

        @inlinable func join(_ run: Run, _ subscriber: some Subscriber<Output, Failure>) {
            run.shared?.receive(subscriber: subscriber)
        }

        @inlinable func replay(_ values: ContiguousArray<Output>, _ subscriber: some Subscriber<Output, Failure>) {
            if values.count == 1 {
                subscriber.serve(only: values[0], name: "ShareReplay")
            } else {
                values.connect(to: subscriber, label: "ShareReplay" as StaticString)
            }
        }

        /// Begins a run, unless something else has been kept since a version.
        @inlinable func begin(_ new: Run, ifStill version: UInt32) -> Bool {
            let old = state.withLock { $0.version == version ? $0.keep(.running(new)) : nil }
            // What it was is released here, outside the lock.
            return old != nil
        }

        @inlinable func makeRun() -> Run {
            let run = Run()
            let observed = upstream.handleEvents(
                receiveOutput: serially { [weak self, weak run] value in
                    if let self, let run { add(value, to: run) }
                },
                receiveCompletion: serially { [weak self, weak run] completion in
                    if let self, let run { end(run, completion) }
                },
                receiveCancel: serially { [weak self, weak run] in
                    guard let self, let run else { return }
                    // Whoever comes next begins another run: what this one goes on to publish would be mixed up with it.
                    _ = state.withLock { $0.close(run, keeping: .nothing) }
                })
            run.shared = ShareReplay(upstream: observed, capacity: limit)
            return run
        }

        // What these two remove under the lock is released outside it.

        @inlinable func add(_ value: Output, to run: Run) {
            _ = state.withLock { [limit] state -> (Kept?, ContiguousArray<Output>) in
                if run.isOver { return (nil, []) }
                if run.values.count < limit {
                    run.values.append(value)
                    return (nil, [])
                }
                return state.close(run, keeping: .nothing)
            }
        }

        @inlinable func end(_ run: Run, _ completion: Subscribers.Completion<Failure>) {
            let end = scheduler.now.advanced(by: interval.bounded)
            _ = state.withLock { state -> (Kept?, ContiguousArray<Output>) in
                if run.isOver { return (nil, []) }
                guard case .finished = completion else { return state.close(run, keeping: .nothing) }
                return state.close(run, keeping: .finished(run.values, until: end))
            }
        }
    }
}

// A lock guards the shared state; the rest is constant.
extension Publishers.Cached: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
