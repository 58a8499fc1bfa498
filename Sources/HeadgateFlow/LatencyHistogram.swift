/// The distribution of durations over buckets, each with twice the bound of the previous one.
///
/// ```swift
/// var histogram = LatencyHistogram()
/// for milliseconds in [1, 2, 3, 100] { histogram.add(.milliseconds(milliseconds)) }
/// print(histogram.count, histogram.bound(of: 0.5))
/// // 4 0.002097152 seconds
/// ```
public struct LatencyHistogram: Hashable, Sendable {
    /// The number of durations below one nanosecond, two, four, and so on.
    public private(set) var buckets = Array(repeating: 0, count: 64)

    /// The total number of durations.
    public var count: Int { buckets.reduce(0, +) }

    /// Creates an empty histogram.
    public init() {}

    /// Adds a duration.
    public mutating func add(_ duration: Duration) {
        let nanoseconds = max(0, duration.attoseconds / 1_000_000_000)
        buckets[min(63, Int128.bitWidth - nanoseconds.leadingZeroBitCount)] += 1
    }

    /// An upper bound for a share of the durations: the bound of the first bucket at which that share is reached.
    ///
    /// Zero if there are none.
    ///
    /// - Parameter share: From 0 to 1, such as 0.5 for the median.
    public func bound(of share: Double) -> Duration {
        let goal = Double(count) * share
        var seen = 0
        for (index, number) in buckets.enumerated() where number > 0 {
            seen += number
            if Double(seen) >= goal { return .nanoseconds(index < 63 ? 1 << index : Int.max) }
        }
        return .zero
    }
}
