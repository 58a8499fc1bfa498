import HeadgateCore

/// When a scheduled conduit may deliver what has arrived; the interval is `bounded`.
@usableFromInline package enum DeliveryPace<Time: Strideable> {
    /// As soon as the scheduler can; the stream ends if no value arrives for a given time.
    case atOnceUntilSilence(Time.Stride)
    /// A given time after the arrival.
    case afterArrival(Time.Stride)
    /// A given time after the previous delivery, or at once.
    case afterDelivery(Time.Stride)
    /// At the next of the boundaries that follow the subscription at regular intervals.
    case atBoundaries(Time.Stride)

    /// Whether events have to wait until they are due.
    @inlinable package var usesClock: Bool {
        switch self {
        case .atOnceUntilSilence: false
        case .afterArrival, .afterDelivery, .atBoundaries: true
        }
    }

    /// Whether the stream ends if no value arrives for too long.
    @inlinable package var endsInSilence: Bool {
        if case .atOnceUntilSilence = self { true } else { false }
    }

    /// The earliest next delivery, after a delivery at a given time.
    @inlinable package func earliestNext(afterDeliveryAt moment: Time?) -> Time? {
        guard case .afterDelivery(let interval) = self, let moment else { return nil }
        return moment.advanced(by: interval)
    }
}

/// The constants of an operator with a scheduler: the part of `ScheduledConduit` that differs between operators and
/// doesn't vary.
///
/// What a plan computes rather than stores takes no memory in the conduit, and no time when the code is specialised.
@usableFromInline package protocol SchedulingPlan<Time> {
    associatedtype Time: Strideable where Time.Stride: SchedulerTimeIntervalConvertible

    /// What is noted with each arrival, which are serial.
    associatedtype ArrivalNote = Void

    var name: StaticString { get }

    /// When what has arrived may be delivered.
    var pace: DeliveryPace<Time> { get }

    /// What is requested from upstream for each value that downstream requests; everything at once if it is unlimited.
    var demandPerValue: Subscribers.Demand { get }

    /// How much later than due a delivery may be; `nil` for the scheduler's minimum.
    var tolerance: Time.Stride? { get }

    var firstArrivalNote: ArrivalNote { get }

    /// When an event that arrives now is due, or that it arrives now if a silence matters; `nil` if the pace doesn't
    /// determine it.
    func due(now: () -> Time, _ note: inout ArrivalNote) -> Time?
}

extension SchedulingPlan {
    @inlinable package var tolerance: Time.Stride? { nil }

    @inlinable package func due(now: () -> Time) -> Time? {
        switch pace {
        case .afterDelivery, .atBoundaries: nil
        case .atOnceUntilSilence: now()
        case .afterArrival(let interval): now().advanced(by: interval)
        }
    }
}

extension SchedulingPlan where ArrivalNote == Void {
    @inlinable package var firstArrivalNote: Void { () }

    @inlinable package func due(now: () -> Time, _ note: inout Void) -> Time? { due(now: now) }
}
