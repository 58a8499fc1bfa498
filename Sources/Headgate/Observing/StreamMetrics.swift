import HeadgateCore
import Synchronization

/// Counts what passes a place in one stream or in many: an observer for `tap(_:)`.
///
/// ```swift
/// let metrics = StreamMetrics("numbers")
/// let cancellables = (1...3).map { (0..<$0).publisher.tap(metrics).sink { _ in } }
/// print(metrics.snapshot.delivered, metrics.snapshot.finished)
/// // 6 3
/// ```
///
/// Values that wait between two places are counted where the first one has the ``entrance``:
///
/// ```swift
/// let metrics = StreamMetrics("orders")
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// (1...10).publisher.tap(metrics.entrance).prefetch(4).tap(metrics).subscribe(subscriber)
/// print(metrics.snapshot.delivered, metrics.snapshot.buffered)
/// // 1 3
/// ```
///
/// It takes no lock: each number is atomic, and a snapshot that is taken while streams run may have numbers that are a few
/// values apart.
public final class StreamMetrics: TapObserver, Sendable {
    /// What the place is called in tables.
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

    /// What had been requested and had not come where runs have ended: nobody waits for it any more.
    private let givenUp = Atomic(0)

    /// How many requests without limit belong to runs that have ended.
    private let unlimitedGivenUp = Atomic(0)

    /// What had entered and not left when no run was going on: it is not buffered any more.
    private let leftBehind = Atomic(0)

    /// Counts nothing yet.
    public init(_ name: String) { self.name = name }

    /// Counts a run.
    public func subscribed() { runs.wrappingAdd(1, ordering: .relaxed) }

    /// Counts what is requested.
    public func requested(_ demand: Subscribers.Demand) {
        if let count = demand.max {
            requestedCount.wrappingAdd(count, ordering: .relaxed)
        } else {
            unlimitedRuns.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Counts a value.
    public func value<Value>(_ value: Value) { delivered.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a value that was dropped, here or by a policy elsewhere that tells of it.
    public func dropped<Value>(_ value: Value) { droppedCount.wrappingAdd(1, ordering: .relaxed) }

    /// Counts a run that has ended.
    public func completed(_ run: TapRun) {
        if run.failure == nil {
            finished.wrappingAdd(1, ordering: .relaxed)
        } else {
            failed.wrappingAdd(1, ordering: .relaxed)
        }
        note(run)
    }

    /// Counts a run that was cancelled.
    public func cancelled(_ run: TapRun) {
        cancelledCount.wrappingAdd(1, ordering: .relaxed)
        note(run)
    }

    private func note(_ run: TapRun) {
        latencies.add(run.duration)
        givenUp.wrappingAdd(run.requests.limited - run.delivered, ordering: .relaxed)
        unlimitedGivenUp.wrappingAdd(run.requests.unlimited, ordering: .relaxed)
        if active == 0 { leftBehind.store(notLeft, ordering: .relaxed) }
    }

    private var active: Int {
        runs.load(ordering: .relaxed) - finished.load(ordering: .relaxed) - failed.load(ordering: .relaxed)
            - cancelledCount.load(ordering: .relaxed)
    }

    /// How many values have entered and neither left nor been dropped.
    private var notLeft: Int {
        entered.load(ordering: .relaxed) - delivered.load(ordering: .relaxed) - droppedCount.load(ordering: .relaxed)
    }

    private var outstanding: Subscribers.Demand {
        let unlimited = unlimitedRuns.load(ordering: .relaxed) - unlimitedGivenUp.load(ordering: .relaxed)
        if unlimited > 0 { return .unlimited }
        let count =
            requestedCount.load(ordering: .relaxed) - delivered.load(ordering: .relaxed)
            - givenUp.load(ordering: .relaxed)
        return .max(max(0, count))
    }

    /// An observer for the place at which values enter what is between it and the place of this one.
    ///
    /// It is what ``Snapshot/buffered`` is counted from: exactly where one run goes on at a time, and otherwise with what
    /// cancelled runs have left behind, until none is going on.
    public var entrance: Entrance { Entrance(metrics: self) }

    fileprivate func enter() { entered.wrappingAdd(1, ordering: .relaxed) }

    /// The numbers of this moment.
    public var snapshot: Snapshot {
        Snapshot(
            name: name, runs: runs.load(ordering: .relaxed), requested: requestedCount.load(ordering: .relaxed),
            unlimitedRequests: unlimitedRuns.load(ordering: .relaxed), delivered: delivered.load(ordering: .relaxed),
            dropped: droppedCount.load(ordering: .relaxed), finished: finished.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed), cancelled: cancelledCount.load(ordering: .relaxed),
            latencies: latencies.histogram, outstanding: outstanding,
            buffered: entered.load(ordering: .relaxed) == 0
                ? 0 : max(0, notLeft - leftBehind.load(ordering: .relaxed)))
    }
}

extension StreamMetrics {
    /// What counts the values that enter.
    public struct Entrance: TapObserver, Sendable {
        fileprivate let metrics: StreamMetrics

        /// Counts a value.
        public func value<Value>(_ value: Value) { metrics.enter() }
    }

    /// The numbers of a moment.
    public struct Snapshot: Hashable, Sendable {
        /// What the place is called.
        public let name: String

        /// How many subscribers have been connected.
        public let runs: Int

        /// How many values have been requested, apart from requests without limit.
        public let requested: Int

        /// How many requests had no limit.
        public let unlimitedRequests: Int

        /// How many values have been delivered.
        public let delivered: Int

        /// How many values have been dropped.
        public let dropped: Int

        /// How many runs have finished.
        public let finished: Int

        /// How many runs have failed.
        public let failed: Int

        /// How many runs were cancelled.
        public let cancelled: Int

        /// How long runs have taken, from the subscription to the end.
        public let latencies: LatencyHistogram

        /// How many values may still come in the runs that are going on.
        public let outstanding: Subscribers.Demand

        /// How many values have passed the ``StreamMetrics/entrance`` and not come here: zero where there is none.
        public let buffered: Int

        /// How many runs are going on.
        public var active: Int { runs - finished - failed - cancelled }
    }
}
