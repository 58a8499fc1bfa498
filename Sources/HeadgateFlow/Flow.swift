/// Shows where the pressure is in a pipeline: what each stage does with its time, and which section limits the others.
///
/// ```swift
/// let flow = Flow("ingest")
/// let lines = ["1", "2", "x", "4"].publisher
///     .stage("read", in: flow)
///     .compactMap { Int($0) }
///     .stage("parsed", in: flow)
///     .sink { _ in }
/// for stage in flow.snapshot.stages { print(stage.name, stage.values) }
/// // read 4
/// // parsed 3
/// ```
///
/// Put a stage at each place that you want to see, with ``HeadgateCore/Publisher/stage(_:in:)``. The places divide the
/// pipeline into sections: the source, what lies between one stage and the next, and the sink. A stage is in one of
/// three states: ``State/busy`` while it delivers a value downstream, ``State/starved`` while values are requested and
/// none comes, and ``State/held`` while none is requested. ``Snapshot/limit`` derives from their times which section
/// limits the throughput.
///
/// Several streams through one stage add up, and so do stages of one name. Nothing accumulates in a flow that is
/// not read: it keeps sums. Any thread may read them while streams run; numbers that are read together may then differ by
/// a few values.
///
/// Create it before the streams that it looks at: what waits and is dropped above a shared stream is counted from then on.
public final class Flow: Sendable {
    /// The name in tables and metrics.
    public let name: String

    let context: StageContext

    private let accounts = Guarded<[StageAccount]>([])

    /// Creates a flow that measures time with the processor's counter.
    ///
    /// - Parameter name: The name in tables and metrics.
    public init(_ name: String) {
        self.name = name
        context = StageContext(StageClock())
    }

    /// Creates a flow whose time is a scheduler's: with virtual time, all times are exact.
    ///
    /// - Parameters:
    ///   - name: The name in tables and metrics.
    ///   - scheduler: Its clock is read twice per value, on the delivering thread.
    public init<Context: Scheduler & Sendable>(_ name: String, scheduler: Context)
    where Context.SchedulerTimeType: Sendable {
        self.name = name
        context = StageContext(StageClock(scheduler))
    }

    /// The stages, in the order in which they were created.
    var stages: [StageAccount] { accounts.withLock { $0 } }

    /// The stage of a name.
    @usableFromInline func stage(_ name: String) -> StageAccount {
        accounts.withLock { accounts in
            if let found = accounts.first(where: { $0.name == name }) { return found }
            let new = StageAccount(name, of: self.name, number: accounts.count, in: context)
            accounts.append(new)
            return new
        }
    }
}

extension Flow {
    /// What a stage does at a moment.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It delivers a value downstream, and waits until that returns.
        case busy

        /// Values are requested, and none comes.
        case starved

        /// No value is requested.
        case held
    }

    /// All stages at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The name of the flow.
        public let name: String

        /// The stages, each one after those upstream of it.
        public let stages: [Stage]

        /// The section that limits the throughput; `nil` while no time has passed.
        public let limit: Limit?
    }

    /// One stage at one moment.
    public struct Stage: Hashable, Sendable {
        /// The name of the stage.
        public let name: String

        /// The number of streams so far.
        public let streams: Int

        /// The number of streams that have finished.
        public let finished: Int

        /// The number of streams that have failed.
        public let failed: Int

        /// The number of streams that have been cancelled.
        public let cancelled: Int

        /// The number of values that have been delivered, or are being delivered.
        public let values: Int

        /// The values per second since the first stream began, until the last one ended; `nil` while no time has passed.
        public let rate: Double?

        /// The outstanding demand of all streams.
        public let demand: Subscribers.Demand

        /// The values that wait between the stage before and this one: for demand, for their time, for a task, or for those
        /// of other upstreams.
        ///
        /// A value that waits upstream of a shared publisher counts once for each stage downstream of it.
        public let waiting: Int

        /// The values that were dropped between the stage before and this one: by policies, by operators such as
        /// `throttle` and `flatMapFirst`, and by subjects.
        ///
        /// Values that operators such as `filter` and `dropFirst` leave out are not counted. A value that is dropped
        /// upstream of a shared publisher counts once for each stage that has a stream downstream of it at that time.
        public let dropped: Int

        /// The time that all streams together have spent in each state.
        public let times: [State: Duration]

        /// The number of streams that are in each state now.
        public let now: [State: Int]

        /// How long the streams that have ended lasted.
        public let durations: LatencyHistogram

        /// The number of streams that have not ended.
        public var active: Int { streams - finished - failed - cancelled }

        /// The share of the streams' time that was spent in a state, from 0 to 1; `nil` while no time has passed.
        public func share(of state: State) -> Double? {
            let whole = times.values.reduce(.zero, +)
            return whole > .zero ? (times[state] ?? .zero) / whole : nil
        }
    }

    /// The current numbers.
    ///
    /// - **Complexity**: linear in the number of stages and of streams that have not been released.
    public var snapshot: Snapshot {
        let readings = stages.map(\.reading)
        let order = StageReading.order(readings)
        return Snapshot(
            name: name, stages: order.map { Stage(readings[$0]) },
            limit: FlowAnalysis(readings).limit)
    }
}

extension Flow.Stage {
    init(_ reading: StageReading) {
        let sums = reading.sums
        name = reading.name
        streams = sums.streams
        finished = sums.finished
        failed = sums.failed
        cancelled = sums.cancelled
        values = sums.values
        rate = sums.span > 0 ? Double(sums.values) / sums.span * 1e9 : nil
        demand = sums.unlimited > 0 ? .unlimited : .max(sums.demand)
        waiting = sums.waiting
        dropped = sums.dropped
        times = [
            .busy: .nanoseconds(Int64(sums.busy)), .starved: .nanoseconds(Int64(sums.starved)),
            .held: .nanoseconds(Int64(sums.held)),
        ]
        now = [.busy: sums.busyNow, .starved: sums.starvedNow, .held: sums.heldNow]
        durations = sums.durations
    }
}
