import HeadgateCore
import Synchronization

/// The demand of one subscriber that has not been served, shared by the threads that ask and the one that serves.
///
/// It can be closed for ever, so that one load answers both "is anything wanted?" and "is anybody still there?".
@usableFromInline package struct OutstandingDemand: ~Copyable {
    // A demand's raw value, or `closed`.
    @usableFromInline package let word = Atomic<UInt>(0)

    @inlinable package init() {}

    @inlinable package static var closed: UInt { .max }

    /// What is outstanding now; none after the end.
    @inlinable package var current: Subscribers.Demand {
        let value = word.load(ordering: .acquiring)
        return value == Self.closed ? .none : Subscribers.Demand(saturating: value)
    }

    @inlinable package var isClosed: Bool { word.load(ordering: .relaxed) == Self.closed }

    @inlinable package var isUnlimited: Bool { word.load(ordering: .relaxed) == Subscribers.Demand.unlimitedValue }

    /// Adds a demand.
    ///
    /// - Returns: What was outstanding before, or `nil` if there is nothing to add to: the account is closed, or the
    ///   demand is none.
    @inlinable @discardableResult package func add(_ demand: Subscribers.Demand) -> Subscribers.Demand? {
        if demand == .none { return nil }
        var old = word.load(ordering: .relaxed)
        while old != Self.closed {
            let before = Subscribers.Demand(saturating: old)
            let (exchanged, current) = word.weakCompareExchange(
                expected: old, desired: (before + demand).rawValue, ordering: .acquiringAndReleasing)
            if exchanged { return before }
            old = current
        }
        return nil
    }

    /// Takes one off for a value that is about to be delivered.
    ///
    /// - Returns: Whether there was one to take. `.unlimited` stays what it is.
    @inlinable package func takeOne() -> Bool {
        var old = word.load(ordering: .acquiring)
        while old != Self.closed, old != 0 {
            if old == Subscribers.Demand.unlimitedValue { return true }
            let (exchanged, current) = word.weakCompareExchange(
                expected: old, desired: old - 1, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            old = current
        }
        return false
    }

    /// Takes off what has been served, unless more was asked for meanwhile.
    ///
    /// - Parameter served: The whole demand as it was when the caller last looked.
    /// - Returns: Whether nothing is outstanding any more.
    @inlinable package func settle(_ served: Subscribers.Demand) -> Bool {
        word.compareExchange(expected: served.rawValue, desired: 0, ordering: .acquiringAndReleasing).exchanged
    }

    /// Takes off everything.
    @inlinable package func takeAll() -> Subscribers.Demand {
        Subscribers.Demand(saturating: word.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Closes the account permanently.
    ///
    /// - Returns: What was outstanding, or `nil` if the account had been closed before.
    @inlinable @discardableResult package func close() -> Subscribers.Demand? {
        let old = word.exchange(Self.closed, ordering: .acquiringAndReleasing)
        return old == Self.closed ? nil : Subscribers.Demand(saturating: old)
    }
}
