import HeadgateEngine
import Synchronization

/// Which side of a stalled stream is waiting for the other.
public enum StreamStall: Hashable, Sendable, CaseIterable {
    /// Values have been requested, and none arrives.
    case noValues

    /// There is no demand, so none may be sent.
    case noDemand
}

extension StreamStall: CustomStringConvertible {
    /// What is missing, as text.
    public var description: String {
        switch self {
        case .noValues: "values have been requested and none comes"
        case .noDemand: "no values are requested"
        }
    }
}

extension Publisher {
    /// Reports when nothing has passed for an interval, and which side is waiting.
    ///
    /// ```
    /// self      1---2------------------3---|
    /// onStall   for 10
    ///           1---2------------------3---|
    /// stalls    --------------------s
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let source = PassthroughSubject<Int, Never>()
    /// let watched = source.onStall(for: .seconds(5), scheduler: scheduler) { print($0) }.sink { _ in }
    /// scheduler.advance(by: .seconds(10))
    /// // values have been requested and none comes
    /// ```
    ///
    /// The stream is checked once per interval, so a stall is reported after one to two intervals, and once, however
    /// long it lasts. A value or a request ends it.
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. The closure is called on
    ///   the scheduler, possibly while a value that ends the stall is being delivered on another thread.
    /// - **Complexity**: constant time per value, without reading a clock; at most one job of the scheduler at a time,
    ///   and none while a reported stall lasts.
    ///
    /// - Parameters:
    ///   - interval: How long nothing may pass: more than zero; traps otherwise.
    ///   - scheduler: The scheduler that measures time and runs the closure.
    ///   - options: Options for every job of the scheduler.
    ///   - report: Called with each stall.
    @preconcurrency @inlinable public func onStall<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil,
        _ report: @escaping @Sendable (StreamStall) -> Void
    ) -> Publishers.StallWatched<Self, Context> {
        Publishers.StallWatched(
            upstream: self, interval: interval, scheduler: scheduler, options: options, report: report)
    }
}

extension Publishers {
    /// A publisher that reports when nothing has passed for an interval.
    public struct StallWatched<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long nothing may pass.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures time.
        public let scheduler: Context

        /// Options for every job of the scheduler.
        public let options: Context.SchedulerOptions?

        /// Called with each stall.
        public let report: @Sendable (StreamStall) -> Void

        /// Creates the publisher that `onStall(for:scheduler:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, report: @escaping @Sendable (StreamStall) -> Void
        ) {
            require(
                interval > .seconds(0),
                rule: "The interval after which a stream counts as stalled must be greater than zero.",
                found: "onStall(for: \(interval))", remedy: "Pass the longest silence that is normal for this stream.")
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.report = report
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let account = RunAccount { .zero }
            let reporter = TapReporter<Output, Failure, _>(StallWatch(self, account), account)
            upstream.receive(subscriber: ObservingConduit(name: "Tap", reporter, subscriber))
        }
    }
}

extension Publishers.StallWatched: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}

/// Checks a stream once per interval.
///
/// A scheduled job retains neither this object nor the stream: the interval may be long, and the stream may end soon.
@usableFromInline final class StallWatch<Upstream: Publisher, Context: Scheduler>: TapObserver {
    @usableFromInline enum Phase {
        /// A job is scheduled, and something has passed since the last one.
        @inlinable static var active: UInt8 { 0 }

        /// A job is scheduled, and nothing has passed since the last one.
        @inlinable static var quiet: UInt8 { 1 }

        /// No job is scheduled: a stall has been reported, or the stream has not begun.
        @inlinable static var asleep: UInt8 { 2 }

        @inlinable static var over: UInt8 { 3 }
    }

    @usableFromInline let plan: Publishers.StallWatched<Upstream, Context>

    @usableFromInline let account: RunAccount

    @usableFromInline let phase = Atomic(Phase.asleep)

    /// The job that is scheduled, to be cancelled with the stream.
    @usableFromInline let alarm = Guarded<(any Alarm)?>(nil)

    @inlinable init(_ plan: Publishers.StallWatched<Upstream, Context>, _ account: RunAccount) {
        self.plan = plan
        self.account = account
    }

    @inlinable func subscribed() { note() }

    @inlinable func requested(_ demand: Subscribers.Demand) { note() }

    @inlinable func value<Value>(_ value: Value) { note() }

    @inlinable func completed(_ run: TapRun) { end() }

    @inlinable func cancelled(_ run: TapRun) { end() }

    @inlinable func end() {
        phase.store(Phase.over, ordering: .relaxed)
        alarm.withLock { $0.take() }?.cancel()
    }

    /// Records that something has passed.
    @inlinable func note() {
        var old = phase.load(ordering: .relaxed)
        while old != Phase.active, old != Phase.over {
            if change(old, to: Phase.active) {
                if old == Phase.asleep { schedule() }
                return
            }
            old = phase.load(ordering: .relaxed)
        }
    }

    /// Goes from one phase to another, unless somebody else has ended it.
    @inlinable func change(_ old: UInt8, to new: UInt8) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .relaxed).exchanged
    }

    @usableFromInline func schedule() {
        let date = plan.scheduler.now.advanced(by: plan.interval.bounded)
        let next = plan.scheduler.alarm(
            at: date, tolerance: plan.scheduler.minimumTolerance, options: plan.options
        ) { [weak self] in self?.check() }
        alarm.withLock { $0 = next }
        // The stream may have ended meanwhile, and found none.
        if phase.load(ordering: .relaxed) == Phase.over { alarm.withLock { $0.take() }?.cancel() }
    }

    @usableFromInline func check() {
        if change(Phase.active, to: Phase.quiet) { return schedule() }
        // Anything that passes from here on schedules a job of its own.
        if change(Phase.quiet, to: Phase.asleep) {
            plan.report(account.outstanding.current == Subscribers.Demand.none ? .noDemand : .noValues)
        } else if phase.load(ordering: .relaxed) == Phase.active {
            schedule()
        }
    }
}
