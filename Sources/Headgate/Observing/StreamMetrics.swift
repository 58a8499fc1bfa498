import HeadgateCore
import Synchronization

/// Counts what passes a place in one stream or in many: an observer for `tap(_:)`.
///
/// ```swift
/// let metrics = StreamMetrics("numbers")
/// for count in 1...3 { (0..<count).publisher.tap(metrics).sink { _ in } }
/// print(metrics.snapshot.delivered, metrics.snapshot.finished)
/// // 6 3
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
        latencies.add(run.duration)
    }

    /// Counts a run that was cancelled.
    public func cancelled(_ run: TapRun) {
        cancelledCount.wrappingAdd(1, ordering: .relaxed)
        latencies.add(run.duration)
    }

    /// The numbers of this moment.
    public var snapshot: Snapshot {
        Snapshot(
            name: name, runs: runs.load(ordering: .relaxed), requested: requestedCount.load(ordering: .relaxed),
            unlimitedRequests: unlimitedRuns.load(ordering: .relaxed), delivered: delivered.load(ordering: .relaxed),
            dropped: droppedCount.load(ordering: .relaxed), finished: finished.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed), cancelled: cancelledCount.load(ordering: .relaxed),
            latencies: latencies.histogram)
    }
}

extension StreamMetrics {
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

        /// How many runs are going on.
        public var active: Int { runs - finished - failed - cancelled }
    }

    /// A table of what several places have counted, one in a line.
    ///
    /// ```swift
    /// let metrics = StreamMetrics("numbers")
    /// (1...3).publisher.tap(metrics).sink { _ in }
    /// print(StreamMetrics.table([metrics]).split(separator: "\n")[0])
    /// // stream   runs  active  finished  failed  cancelled  requested  delivered  dropped  median  99 %
    /// ```
    public static func table(_ metrics: [StreamMetrics]) -> String {
        let header = [
            "stream", "runs", "active", "finished", "failed", "cancelled", "requested", "delivered", "dropped",
            "median",
            "99 %",
        ]
        let rows = [header] + metrics.map { $0.snapshot.cells }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + blanks : blanks + row[column]
            }
            .joined(separator: "  ")
        }
        return lines.joined(separator: "\n")
    }
}

extension StreamMetrics.Snapshot {
    /// What a table has in a line.
    fileprivate var cells: [String] {
        [
            name, "\(runs)", "\(active)", "\(finished)", "\(failed)", "\(cancelled)",
            unlimitedRequests > 0 ? "unlimited" : "\(requested)", "\(delivered)", "\(dropped)",
            Self.text(latencies.bound(of: 0.5)), Self.text(latencies.bound(of: 0.99)),
        ]
    }

    /// A length of time in few signs, as in `16 ms`.
    private static func text(_ duration: Duration) -> String {
        for (unit, name) in [(Duration.seconds(1), "s"), (.milliseconds(1), "ms"), (.microseconds(1), "µs")]
        where duration >= unit {
            let number = (duration / unit * 10).rounded() / 10
            return number >= 10 ? "<\(Int(number)) \(name)" : "<\(number) \(name)"
        }
        return "0"
    }
}
