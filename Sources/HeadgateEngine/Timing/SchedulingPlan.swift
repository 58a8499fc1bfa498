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

/// A plan of which nothing is known before the conduit is created.
@usableFromInline package struct AnySchedulingPlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline package let name: StaticString

    @usableFromInline package let pace: DeliveryPace<Time>

    @usableFromInline package let upstreamDemand: ScheduledDemand

    @usableFromInline package let tolerance: Time.Stride?

    @inlinable package init(
        name: StaticString, pace: DeliveryPace<Time>, upstreamDemand: ScheduledDemand, tolerance: Time.Stride?
    ) {
        self.name = name
        self.pace = pace.mapInterval { $0.bounded }
        self.upstreamDemand = upstreamDemand
        self.tolerance = tolerance
    }

    /// No boundary yet.
    @inlinable package var firstArrivalNote: Time? { nil }

    /// No values since the last request.
    @inlinable package var firstDeliveryNote: Int { 0 }

    @inlinable package func due(now: () -> Time, _ boundary: inout Time?) -> Time? {
        guard case .atBoundaries(let interval) = pace else { return due(now: now) }
        let now = now()
        boundary = boundary?.boundary(after: now, every: interval) ?? now.advanced(by: interval)
        return boundary
    }

    @inlinable package func countDelivery(_ delivered: inout Int) -> Subscribers.Demand {
        guard case .ahead(_, let step) = upstreamDemand else { return .none }
        delivered += 1
        if delivered < step { return .none }
        delivered = 0
        return .max(step)
    }
}

/// Everything is requested, and delivered a given time after it has arrived.
@usableFromInline package struct DebouncePlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline let interval: Time.Stride

    @inlinable package init(_ interval: Time.Stride) { self.interval = interval.bounded }

    @inlinable package var name: StaticString { "Debounce" }

    @inlinable package var pace: DeliveryPace<Time> { .afterArrival(interval) }

    @inlinable package var upstreamDemand: ScheduledDemand { .everything }
}

/// Everything is delivered as soon as possible, and the stream ends if no value arrives for a given time.
@usableFromInline package struct TimeoutPlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline let interval: Time.Stride

    @inlinable package init(_ interval: Time.Stride) { self.interval = interval.bounded }

    @inlinable package var name: StaticString { "Timeout" }

    @inlinable package var pace: DeliveryPace<Time> { .atOnceUntilSilence(interval) }

    @inlinable package var upstreamDemand: ScheduledDemand { .multiple(1) }
}
