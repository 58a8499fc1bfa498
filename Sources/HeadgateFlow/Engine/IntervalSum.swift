import Synchronization

/// The length of intervals that begin and end one after the other, in one word, so that a reader needs no lock.
///
/// The word is twice the sum of all ends without the sum of all beginnings, and odd inside an interval.
@usableFromInline struct IntervalSum: ~Copyable {
    @usableFromInline let word = Atomic<UInt64>(0)

    @inlinable init() {}

    /// Begins an interval; one caller at a time.
    @inlinable @inline(__always) func begin(at moment: UInt64) {
        // Less the double moment, plus one.
        word.store(word.load(ordering: .relaxed) &+ (~moment << 1) &+ 3, ordering: .relaxed)
    }

    /// Ends the interval; one caller at a time.
    @inlinable @inline(__always) func end(at moment: UInt64) {
        word.store(word.load(ordering: .relaxed) &+ ((moment << 1) &- 1), ordering: .relaxed)
    }

    func endIfBegun(at moment: UInt64) {
        if word.load(ordering: .relaxed) & 1 != 0 { end(at: moment) }
    }

    /// Ends the interval if another caller doesn't at the same time.
    func endOnce(at moment: UInt64) {
        let old = word.load(ordering: .relaxed)
        if old & 1 == 0 { return }
        _ = word.compareExchange(expected: old, desired: old &+ ((moment << 1) &- 1), ordering: .relaxed)
    }

    var isBegun: Bool { word.load(ordering: .relaxed) & 1 != 0 }

    /// The sum of all intervals up to a moment.
    func length(until moment: UInt64) -> UInt64 {
        let word = word.load(ordering: .relaxed)
        let sum = Int64(bitPattern: word & ~1) >> 1
        let length = word & 1 == 0 ? sum : sum &+ Int64(bitPattern: moment)
        return UInt64(max(0, length))
    }
}
