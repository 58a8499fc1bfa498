import HeadgateCore

/// A plan of which nothing is known before the conduit is created.
@usableFromInline package struct AnySchedulingPlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline package let name: StaticString

    @usableFromInline package let pace: DeliveryPace<Time>

    @usableFromInline package let demandPerValue: Subscribers.Demand

    @usableFromInline package let tolerance: Time.Stride?

    @inlinable package init(
        name: StaticString, pace: DeliveryPace<Time>, demandPerValue: Subscribers.Demand, tolerance: Time.Stride?
    ) {
        self.name = name
        self.pace = pace
        self.demandPerValue = demandPerValue
        self.tolerance = tolerance
    }

    /// No boundary yet.
    @inlinable package var firstArrivalNote: Time? { nil }

    @inlinable package func due(now: () -> Time, _ boundary: inout Time?) -> Time? {
        guard case .atBoundaries(let interval) = pace else { return due(now: now) }
        let now = now()
        boundary = boundary?.boundary(after: now, every: interval) ?? now.advanced(by: interval)
        return boundary
    }
}

extension ScheduledConduit {
    @inlinable @inline(never) package convenience init(
        name: StaticString, _ backlog: Waiting, _ pace: DeliveryPace<Time>,
        requesting demandPerValue: Subscribers.Demand, on scheduler: Context, tolerance: Time.Stride? = nil,
        options: Context.SchedulerOptions?, to downstream: some Subscriber<Waiting.Output, Failure>
    ) where Plan == AnySchedulingPlan<Time> {
        self.init(
            AnySchedulingPlan(name: name, pace: pace, demandPerValue: demandPerValue, tolerance: tolerance), backlog,
            on: scheduler, options: options, to: downstream)
    }
}

extension Strideable where Stride: Comparable {
    /// The first time after `moment` that is a whole number of intervals from this one.
    ///
    /// Takes time logarithmic in that number. If the interval leads nowhere, because it isn't positive or because the
    /// clock stands still, the result is `moment`.
    @inlinable package func boundary(after moment: Self, every interval: Stride) -> Self {
        if self > moment { return self }
        if advanced(by: interval) <= self { return moment }
        var strides = [interval]
        while let last = strides.last, advanced(by: last + last) <= moment { strides.append(last + last) }
        let reached = strides.reversed().reduce(self) { reached, stride in
            let next = reached.advanced(by: stride)
            return next <= moment ? next : reached
        }
        return reached.advanced(by: interval)
    }
}
