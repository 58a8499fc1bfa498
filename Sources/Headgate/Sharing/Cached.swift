import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Has one run of this publisher serve everybody who comes while it goes on, and for a while after it has finished.
    ///
    /// ```
    /// self      ---1|                     ---2|
    /// cached    20
    /// early     ---1|
    /// late              (1|)
    /// later                               ---2|
    /// ```
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// var runs = 0
    /// let price = Deferred { runs += 1; return Just(runs * 100) }.cached(for: .seconds(60), scheduler: scheduler)
    /// let first = price.sink { print($0) }
    /// let second = price.sink { print($0) }
    /// scheduler.advance(by: .seconds(60))
    /// let third = price.sink { print($0) }
    /// // 100
    /// // 100
    /// // 200
    /// ```
    ///
    /// Whoever joins a run gets all its values from the first on. A run that fails is not kept: everybody in it hears the
    /// failure, and the next subscriber begins another. So does one who comes when a run has more values than the limit.
    ///
    /// - **Demand**: each subscriber has its own. Upstream is asked for what the foremost of them has asked for.
    /// - **Completion**: follows the values. A run of which all subscribers have cancelled is cancelled.
    /// - **Complexity**: that of ``shareReplay(capacity:)``. What is kept stays in memory until the next subscriber comes
    ///   after its time.
    ///
    /// - Parameters:
    ///   - interval: How long a run is kept after it has finished.
    ///   - limit: How many values are kept at the most. A negative number traps.
    ///   - scheduler: What tells the time. Nothing is scheduled.
    public func cached<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, limit: Int = 1024, scheduler: Context
    ) -> Publishers.Cached<Self, Context> {
        Publishers.Cached(upstream: self, interval: interval, limit: limit, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher of which one run serves everybody for a while.
    public final class Cached<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        fileprivate enum Age {
            case running
            case finished(until: Context.SchedulerTimeType)
            /// It has failed, or has had too many values.
            case over
        }

        /// One run, and how it stands.
        fileprivate final class Run {
            var age = Age.running
            var values = 0
            // Set once, before anybody joins.
            var shared: ShareReplay<HandleEvents<Upstream>>?
        }

        /// The publisher that is run.
        public let upstream: Upstream

        /// How long a run is kept after it has finished.
        public let interval: Context.SchedulerTimeType.Stride

        /// How many values are kept at the most.
        public let limit: Int

        /// What tells the time.
        public let scheduler: Context

        // All members of a run but `shared` are used under this lock.
        private let latest = Guarded<Run?>(nil)

        /// Makes the publisher that `cached(for:scheduler:)` returns.
        public init(upstream: Upstream, interval: Context.SchedulerTimeType.Stride, limit: Int, scheduler: Context) {
            if limit < 0 {
                programmerError(
                    rule: "The limit of a cache is a number of values and can't be negative.",
                    found: "cached(limit: \(limit))", remedy: "Use 0 to share runs that have not begun to say anything."
                )
            }
            self.upstream = upstream
            self.interval = interval
            self.limit = limit
            self.scheduler = scheduler
        }

        /// Connects a subscriber to the present run, or to another.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let now = scheduler.now
            let candidate = makeRun()
            // Compared outside the lock, for the clock is not ours.
            let (found, age) = latest.withLock { ($0, $0?.age) }
            let isUsable =
                switch age {
                case .running: true
                case .finished(let end): now < end
                case .over, nil: false
                }
            let (run, old): (Run, Run?) = latest.withLock { latest in
                if isUsable, let found, latest === found { return (found, nil) }
                // Somebody else has just begun another.
                if let latest, latest !== found, case .running = latest.age { return (latest, nil) }
                let old = latest
                latest = candidate
                return (candidate, old)
            }
            run.shared?.receive(subscriber: subscriber)
            withExtendedLifetime(old) {}
        }

        private func makeRun() -> Run {
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
                    // Whoever comes next begins the run anew.
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

// What threads share is under the lock; the rest is constant.
extension Publishers.Cached: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
