import HeadgateCore

/// What a scheduled conduit requests from upstream.
@usableFromInline package enum ScheduledDemand {
    case everything
    /// A number of values for each one that downstream requests.
    case multiple(Int)
    /// A number of values ahead of downstream, and `step` more each time as many have been delivered.
    case ahead(Int, step: Int)
}

/// The constants of an operator with a scheduler: the part of `ScheduledConduit` that differs between operators and
/// doesn't vary.
///
/// What a plan computes rather than stores takes no memory in the conduit, and no time when the code is specialised.
@usableFromInline package protocol SchedulingPlan<Time> {
    associatedtype Time: Strideable where Time.Stride: SchedulerTimeIntervalConvertible

    /// What is noted with each arrival, which are serial.
    associatedtype ArrivalNote = Void

    /// What is noted with each delivery, which are serial.
    associatedtype DeliveryNote = Void

    var name: StaticString { get }

    /// When what has arrived may be delivered.
    var pace: DeliveryPace<Time> { get }

    var upstreamDemand: ScheduledDemand { get }

    /// How much later than due a delivery may be; `nil` for the scheduler's minimum.
    var tolerance: Time.Stride? { get }

    var firstArrivalNote: ArrivalNote { get }

    var firstDeliveryNote: DeliveryNote { get }

    /// When an event that arrives now is due, or that it arrives now if a silence matters; `nil` if the pace doesn't
    /// determine it.
    func due(now: () -> Time, _ note: inout ArrivalNote) -> Time?

    /// Counts a delivered value.
    ///
    /// - Returns: What to request from upstream.
    func countDelivery(_ note: inout DeliveryNote) -> Subscribers.Demand
}

extension SchedulingPlan {
    @inlinable package var tolerance: Time.Stride? { nil }

    @inlinable package func due(now: () -> Time) -> Time? {
        switch pace {
        case .atOnce, .afterDelivery, .atBoundaries: nil
        case .atOnceUntilSilence: now()
        case .afterArrival(let interval): now().advanced(by: interval)
        }
    }
}

extension SchedulingPlan where ArrivalNote == Void {
    @inlinable package var firstArrivalNote: Void { () }

    @inlinable package func due(now: () -> Time, _ note: inout Void) -> Time? { due(now: now) }
}

extension SchedulingPlan where DeliveryNote == Void {
    @inlinable package var firstDeliveryNote: Void { () }

    @inlinable package func countDelivery(_ note: inout Void) -> Subscribers.Demand { .none }
}
