import HeadgateCombine
import HeadgateCore
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
    /// - **Complexity**: that of ``shareReplay(capacity:)``. The values of an expired run stay in memory until the next
    ///   subscriber arrives.
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

        @usableFromInline enum Age {
            case running
            case finished(until: Context.SchedulerTimeType)
            /// It has failed, or has published too many values.
            case over
        }

        /// One run and its state.
        @usableFromInline final class Run {
            // Under the lock.
            @exclusivity(unchecked) @usableFromInline var age = Age.running
            @exclusivity(unchecked) @usableFromInline var values = 0
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
        @usableFromInline let latest = Guarded<Run?>(nil)

        /// Creates the publisher that `cached(for:scheduler:)` returns.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, limit: Int, scheduler: Context
        ) {
            if limit < 0 {
                programmerError(
                    rule: "The limit of a cache is a number of values and can't be negative.",
                    found: "cached(limit: \(limit))",
                    remedy: "Use 0 to share only runs that have not published anything yet."
                )
            }
            self.upstream = upstream
            self.interval = interval
            self.limit = limit
            self.scheduler = scheduler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            var candidate: Run?
            while true {
                let now = scheduler.now
                // Compared outside the lock, because the clock is user code.
                let (found, age) = latest.withLock { ($0, $0?.age) }
                if let found, isUsable(age, at: now) { return join(found, subscriber) }
                let new = candidate ?? makeRun()
                candidate = new
                // Another thread may have begun a run meanwhile, which may even have finished, and be as good as this.
                if replace(found, by: new) { return join(new, subscriber) }
            }
        }

        @inlinable func join(_ run: Run, _ subscriber: some Subscriber<Output, Failure>) {
            run.shared?.receive(subscriber: subscriber)
        }

        @inlinable func isUsable(_ age: Age?, at now: Context.SchedulerTimeType) -> Bool {
            switch age {
            case .running: true
            case .finished(let end): now < end
            case .over, nil: false
            }
        }

        /// Makes a new run the latest, unless another thread has done so, or the one that was found has begun again.
        @inlinable func replace(_ found: Run?, by new: Run) -> Bool {
            // Released here, outside the lock.
            let old: Run?? = latest.withLock { latest in
                if latest !== found { return nil }
                if let found, case .running = found.age { return nil }
                return .some(exchange(&latest, with: new))
            }
            return old != nil
        }

        @inlinable func makeRun() -> Run {
            let run = Run()
            let observed = upstream.handleEvents(
                receiveOutput: serially { [weak self, weak run] _ in
                    guard let self, let run else { return }
                    latest.withLock { [limit] _ in
                        run.values += 1
                        if run.values > limit { run.age = .over }
                    }
                },
                receiveCompletion: serially { [weak self, weak run] completion in
                    guard let self, let run else { return }
                    let end = scheduler.now.advanced(by: interval.bounded)
                    latest.withLock { _ in
                        if case .over = run.age { return }
                        if case .finished = completion { run.age = .finished(until: end) } else { run.age = .over }
                    }
                },
                receiveCancel: serially { [weak self, weak run] in
                    guard let self, let run else { return }
                    // The next subscriber starts the run again.
                    latest.withLock { _ in
                        run.values = 0
                        run.age = .running
                    }
                })
            run.shared = ShareReplay(upstream: observed, capacity: limit)
            return run
        }
    }
}

// A lock guards the shared state; the rest is constant.
extension Publishers.Cached: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
