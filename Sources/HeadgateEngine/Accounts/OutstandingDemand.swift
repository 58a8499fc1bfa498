import HeadgateCore
import Synchronization

/// The outstanding demand of one subscriber, shared by the requesting threads and the delivering one.
///
/// It can be closed permanently, so that a single load tells both whether there is demand and whether the subscriber is
/// still there.
@usableFromInline package struct OutstandingDemand: ~Copyable {
    // The raw value of a demand, or `closed`.
    @usableFromInline package let word = Atomic<UInt>(0)

    @inlinable package init() {}

    @inlinable package static var closed: UInt { .max }

    /// The outstanding demand; none once closed.
    @inlinable package var current: Subscribers.Demand {
        let value = word.load(ordering: .acquiring)
        return value == Self.closed ? .none : Subscribers.Demand(saturating: value)
    }

    /// Whether any demand is outstanding.
    @inlinable package var isPending: Bool {
        // Closed is the greatest word, so one addition tests for both ends.
        word.load(ordering: .acquiring) &+ 1 > 1
    }

    @inlinable package var isClosed: Bool { word.load(ordering: .relaxed) == Self.closed }

    // Acquiring, as in `takeOne`: a delivery that unlimited demand permits sees what the subscriber wrote before it
    // requested, on whichever thread.
    @inlinable package var isUnlimited: Bool { word.load(ordering: .acquiring) == Subscribers.Demand.unlimitedValue }

    /// Adds a demand.
    ///
    /// - Returns: The outstanding demand before, or `nil` if nothing was added: the account is closed, or the demand is
    ///   none.
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

    /// Takes one unit for a value that is about to be delivered.
    ///
    /// - Returns: Whether there was one to take. `.unlimited` never changes.
    @inlinable package func takeOne() -> Bool {
        // Tested before the loop, which compilers turn to test for demand first.
        if word.load(ordering: .acquiring) == Subscribers.Demand.unlimitedValue { return true }
        var old = word.load(ordering: .acquiring)
        while old != Self.closed, old != 0 {
            if old == Subscribers.Demand.unlimitedValue { return true }
            // Acquiring though the load was: the unit may have been taken and another requested since.
            let (exchanged, current) = word.weakCompareExchange(
                expected: old, desired: old - 1, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            old = current
        }
        return false
    }

    /// Subtracts the satisfied demand, unless more has been requested meanwhile.
    ///
    /// - Parameter served: The whole outstanding demand when the caller last read it.
    /// - Returns: Whether no demand is outstanding any more.
    @inlinable package func settle(_ served: Subscribers.Demand) -> Bool {
        word.compareExchange(expected: served.rawValue, desired: 0, ordering: .releasing).exchanged
    }

    /// Takes all outstanding demand.
    @inlinable package func takeAll() -> Subscribers.Demand {
        Subscribers.Demand(saturating: word.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Closes the account permanently.
    ///
    /// - Returns: The outstanding demand, or `nil` if the account had been closed before.
    @inlinable @discardableResult package func close() -> Subscribers.Demand? {
        let old = word.exchange(Self.closed, ordering: .acquiringAndReleasing)
        return old == Self.closed ? nil : Subscribers.Demand(saturating: old)
    }
}
