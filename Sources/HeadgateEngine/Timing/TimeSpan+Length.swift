import HeadgateCore

extension SchedulerTimeIntervalConvertible {
    /// A practically endless length of time: thirty years.
    @inlinable package static var endless: Self { .seconds(1_000_000_000) }
}

extension SchedulerTimeIntervalConvertible where Self: Comparable & SignedNumeric {
    /// Whether all units of time are zero, as for a scheduler with a single point in time.
    @inlinable package static var isNothing: Bool { endless <= .zero }

    /// Whether this length is practically endless: its end might not be a time that the clock can represent.
    @inlinable package var isEndless: Bool { !Self.isNothing && self >= .endless }

    /// This length, but at most thirty years: a later end might not be a time that a clock can represent.
    @inlinable package var bounded: Self { isEndless ? .endless : self }

    /// This length in nanoseconds, rounded down and clamped to zero and the greatest number.
    ///
    /// Found by comparison, since a length of time can be created from nanoseconds but not converted back.
    @inlinable package var nanosecondCount: Int {
        if self <= .zero || Self.isNothing { return 0 }
        if self >= .endless { return .max }
        var count = 0
        var bit = 1 << 59
        while bit > 0 {
            if Self.nanoseconds(count + bit) <= self { count += bit }
            bit >>= 1
        }
        return count
    }
}
