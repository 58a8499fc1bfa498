import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

/// Which side of a stream that stands still is waiting for the other.
public enum StreamStall: Hashable, Sendable, CaseIterable {
    /// Values have been requested, and none comes.
    case noValues

    /// Nothing is requested, so none may come.
    case noDemand
}

extension StreamStall: CustomStringConvertible {
    /// What is missing, in words.
    public var description: String {
        switch self {
        case .noValues: "values have been requested and none comes"
        case .noDemand: "no values are requested"
        }
    }
}

extension Publisher {
    /// Tells when nothing has passed here for a while, and which side is waiting.
    ///
    /// ```
    /// self      1---2--------------3---|
    /// onStall   for 10
    ///           1---2--------------3---|
    /// stalls    --------------s
    /// ```
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let source = PassthroughSubject<Int, Never>()
    /// let watched = source.onStall(for: .seconds(5), scheduler: scheduler) { print($0) }.sink { _ in }
    /// scheduler.advance(by: .seconds(10))
    /// // values have been requested and none comes
    /// ```
    ///
    /// The stream is looked at once in each interval, so a stall is told of after it has lasted for one to two intervals, and
    /// once, however long it lasts. Values and requests end it.
    ///
    /// - **Demand** and **Completion**: passed on as they are.
    /// - **Complexity**: constant time a value, without a look at the clock; one alarm at a time, and none while a stall lasts
    ///   that has been told of.
    ///
    /// - Parameters:
    ///   - interval: How long nothing may pass: more than zero, or it traps.
    ///   - scheduler: What tells the time, and where the closure is called.
    ///   - options: Passed to the scheduler with every alarm.
    ///   - report: Hears of a stall.
    public func onStall<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil,
        _ report: @escaping StreamClosure<StreamStall, Void>
    ) -> Publishers.StallWatched<Self, Context> {
        Publishers.StallWatched(
            upstream: self, interval: interval, scheduler: scheduler, options: options, report: report)
    }
}

extension Publishers {
    /// A publisher that tells when nothing has passed for a while.
    public struct StallWatched<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// How long nothing may pass.
        public let interval: Context.SchedulerTimeType.Stride

        /// What tells the time.
        public let scheduler: Context

        /// What is passed to the scheduler with every alarm.
        public let options: Context.SchedulerOptions?

        /// What hears of a stall.
        public let report: StreamClosure<StreamStall, Void>

        /// Makes the publisher that `onStall(for:scheduler:)` returns.
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, report: @escaping StreamClosure<StreamStall, Void>
        ) {
            if interval <= .seconds(0) {
                programmerError(
                    rule: "A stream that stands still does so for more than no time.",
                    found: "onStall(for: \(interval))",
                    remedy: "Pass the longest time for which the stream is silent when all is well.")
            }
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.report = report
        }

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let watch = StallWatch(self)
            let conduit = TapConduit<Output, Failure, StallWatch<Upstream, Context>>(watch, { .zero }, subscriber)
            watch.account = conduit.account
            upstream.receive(subscriber: conduit)
        }
    }
}

extension Publishers.StallWatched: StrictlySendable
where
    Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable,
    Context.SchedulerOptions: StrictlySendable
{}

/// Looks at a stream once in each interval.
///
/// An alarm keeps neither this alive nor the stream: it may be set for long, and the stream may end soon.
final class StallWatch<Upstream: Publisher, Context: Scheduler>: TapObserver {
    private enum Phase {
        /// An alarm is set, and something has passed since the last.
        static var active: UInt8 { 0 }

        /// An alarm is set, and nothing has passed since the last.
        static var quiet: UInt8 { 1 }

        /// No alarm is set: a stall has been told of, or the stream has not begun.
        static var asleep: UInt8 { 2 }

        static var over: UInt8 { 3 }
    }

    private let plan: Publishers.StallWatched<Upstream, Context>

    // Set once, before the subscriber is connected.
    var account: TapConduit<Upstream.Output, Upstream.Failure, StallWatch>.Account?

    private let phase = Atomic(Phase.asleep)

    init(_ plan: Publishers.StallWatched<Upstream, Context>) { self.plan = plan }

    func subscribed() { note() }

    func requested(_ demand: Subscribers.Demand) { note() }

    func value<Value>(_ value: Value) { note() }

    func completed(_ run: TapRun) { end() }

    func cancelled(_ run: TapRun) { end() }

    private func end() {
        phase.store(Phase.over, ordering: .relaxed)
    }

    /// Notes that something passes.
    private func note() {
        var old = phase.load(ordering: .relaxed)
        while old != Phase.active, old != Phase.over {
            let (exchanged, current) = phase.compareExchange(
                expected: old, desired: Phase.active, ordering: .acquiringAndReleasing)
            if exchanged {
                if old == Phase.asleep { schedule() }
                return
            }
            old = current
        }
    }

    private func schedule() {
        let date = plan.scheduler.now.advanced(by: plan.interval.bounded)
        plan.scheduler.schedule(
            after: date, tolerance: plan.scheduler.minimumTolerance, options: plan.options,
            serially { [weak self] in self?.look() })
    }

    private func look() {
        if phase.compareExchange(
            expected: Phase.active, desired: Phase.quiet, ordering: .acquiringAndReleasing
        ).exchanged {
            return schedule()
        }
        // Anything that passes from here on sets an alarm of its own.
        if phase.compareExchange(
            expected: Phase.quiet, desired: Phase.asleep, ordering: .acquiringAndReleasing
        ).exchanged {
            plan.report(account?.outstanding.current == Subscribers.Demand.none ? .noDemand : .noValues)
        } else if phase.load(ordering: .relaxed) == Phase.active {
            schedule()
        }
    }
}
