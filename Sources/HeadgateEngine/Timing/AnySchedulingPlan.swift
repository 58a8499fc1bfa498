import HeadgateCore

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
