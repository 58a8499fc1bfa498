import HeadgateCore
import Synchronization

/// Counts the events that pass in one or many streams: an observer for `tap(_:)`.
///
/// ```swift
/// let metrics = StreamMetrics("numbers")
/// for count in 1...3 { (0..<count).publisher.tap(metrics).sink { _ in } }
/// print(metrics.snapshot.delivered, metrics.snapshot.finished)
/// // 6 3
/// ```
///
/// To count values that wait between two places, put the ``entrance`` at the first one:
///
/// ```swift
/// let metrics = StreamMetrics("orders")
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// (1...10).publisher.tap(metrics.entrance).prefetch(4).tap(metrics).subscribe(subscriber)
/// print(metrics.snapshot.delivered, metrics.snapshot.buffered)
/// // 1 3
/// ```
///
/// It takes no lock: each number is atomic, and in a snapshot that is taken while streams run, the numbers may differ
/// by a few values.
public final class StreamMetrics: TapObserver, Sendable {
    /// The name in tables.
    public let name: String

    private let runs = Atomic(0)
    private let requestedCount = Atomic(0)
    private let unlimitedRuns = Atomic(0)
    private let delivered = Atomic(0)
    private let droppedCount = Atomic(0)
    private let finished = Atomic(0)
    private let failed = Atomic(0)
    private let cancelledCount = Atomic(0)
    private let latencies = LatencyRecorder()
    private let entered = Atomic(0)

    /// The demand that was outstanding when its runs ended.
    private let unservedDemand = Atomic(0)

    /// The number of unlimited requests in runs that have ended.
    private let endedUnlimitedRequests = Atomic(0)

    /// Values that had entered but not left when no run was active: they are no longer buffered.
    private let abandoned = Atomic(0)

    /// Creates metrics with all counts at zero.
    public init(_ name: String) { self.name = name }

    /// Counts a run.
    public func subscribed() { runs.wrappingAdd(1, ordering: .relaxed) }

    /// Counts requested values.
    public func requested(_ demand: Subscribers.Demand) {
        if let count = demand.max {
            requestedCount.wrappingAdd(count, ordering: .relaxed)
        } else {
            unlimitedRuns.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Counts a value.
    public func value<Value>(_ value: Value) { delivered.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a dropped value, from here or from a policy elsewhere that reports it.
    public func dropped<Value>(_ value: Value) { droppedCount.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a completed run.
    public func completed(_ run: TapRun) {
        if run.failure == nil {
            finished.wrappingAdd(1, ordering: .relaxed)
        } else {
            failed.wrappingAdd(1, ordering: .relaxed)
        }
        note(run)
    }

    /// Counts a cancelled run.
    public func cancelled(_ run: TapRun) {
        cancelledCount.wrappingAdd(1, ordering: .relaxed)
        note(run)
    }

    private func note(_ run: TapRun) {
        latencies.add(run.duration)
        unservedDemand.wrappingAdd(run.requests.limited - run.delivered, ordering: .relaxed)
        endedUnlimitedRequests.wrappingAdd(run.requests.unlimited, ordering: .relaxed)
        if active == 0 { abandoned.store(notLeft, ordering: .relaxed) }
    }

    private var active: Int {
        runs.load(ordering: .relaxed) - finished.load(ordering: .relaxed) - failed.load(ordering: .relaxed)
            - cancelledCount.load(ordering: .relaxed)
    }

    /// The number of values that have entered and have neither left nor been dropped.
    private var notLeft: Int {
        entered.load(ordering: .relaxed) - delivered.load(ordering: .relaxed) - droppedCount.load(ordering: .relaxed)
    }

    private var outstanding: Subscribers.Demand {
        let unlimited = unlimitedRuns.load(ordering: .relaxed) - endedUnlimitedRequests.load(ordering: .relaxed)
        if unlimited > 0 { return .unlimited }
        let count =
            requestedCount.load(ordering: .relaxed) - delivered.load(ordering: .relaxed)
            - unservedDemand.load(ordering: .relaxed)
        return .max(max(0, count))
    }

    /// An observer for the place at which values enter the section that ends at this observer.
    ///
    /// ``Snapshot/buffered`` is computed from it. It is exact while at most one run is active at a time; otherwise it
    /// includes values that cancelled runs have left, until no run is active.
    public var entrance: Entrance { Entrance(metrics: self) }

    fileprivate func enter() { entered.wrappingAdd(1, ordering: .relaxed) }

    /// The current counts.
    public var snapshot: Snapshot {
        Snapshot(
            name: name, runs: runs.load(ordering: .relaxed), requested: requestedCount.load(ordering: .relaxed),
            unlimitedRequests: unlimitedRuns.load(ordering: .relaxed), delivered: delivered.load(ordering: .relaxed),
            dropped: droppedCount.load(ordering: .relaxed), finished: finished.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed), cancelled: cancelledCount.load(ordering: .relaxed),
            latencies: latencies.histogram, outstanding: outstanding,
            buffered: entered.load(ordering: .relaxed) == 0
                ? 0 : max(0, notLeft - abandoned.load(ordering: .relaxed)))
    }
}

extension StreamMetrics {
    /// Counts the values that enter.
    public struct Entrance: TapObserver, Sendable {
        fileprivate let metrics: StreamMetrics

        /// Counts a value.
        public func value<Value>(_ value: Value) { metrics.enter() }
    }

    /// The counts at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The name of the observer.
        public let name: String

        /// The number of subscribers so far.
        public let runs: Int

        /// The number of requested values, not including unlimited requests.
        public let requested: Int

        /// The number of unlimited requests.
        public let unlimitedRequests: Int

        /// The number of delivered values.
        public let delivered: Int

        /// The number of dropped values.
        public let dropped: Int

        /// The number of finished runs.
        public let finished: Int

        /// The number of failed runs.
        public let failed: Int

        /// The number of cancelled runs.
        public let cancelled: Int

        /// The durations of the runs, from subscription to completion or cancellation.
        public let latencies: LatencyHistogram

        /// The outstanding demand of the active runs.
        public let outstanding: Subscribers.Demand

        /// The number of values that have passed the ``StreamMetrics/entrance`` but not this observer; zero without an
        /// entrance.
        public let buffered: Int

        /// The number of active runs.
        public var active: Int { runs - finished - failed - cancelled }
    }
}
