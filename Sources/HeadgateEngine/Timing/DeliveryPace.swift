import HeadgateCore

/// When a scheduled conduit may deliver what has arrived.
@usableFromInline package enum DeliveryPace<Time: Strideable> {
    /// As soon as the scheduler comes to it. The clock is not looked at.
    case atOnce
    /// A while after the arrival.
    case afterArrival(Time.Stride)
    /// A while after the last delivery, or at once.
    case afterDelivery(Time.Stride)
    /// At the next of the moments that lie this far from each other, the first of them this far from the subscription.
    case atBoundaries(Time.Stride)

    /// The same pace with another interval.
    @inlinable package func mapInterval(_ transform: (Time.Stride) -> Time.Stride) -> Self {
        switch self {
        case .atOnce: .atOnce
        case .afterArrival(let interval): .afterArrival(transform(interval))
        case .afterDelivery(let interval): .afterDelivery(transform(interval))
        case .atBoundaries(let interval): .atBoundaries(transform(interval))
        }
    }

    @inlinable package var usesClock: Bool {
        if case .atOnce = self { false } else { true }
    }

    /// The moment before which nothing must follow a delivery at this moment.
    @inlinable package func reopening(afterDeliveryAt moment: Time?) -> Time? {
        guard case .afterDelivery(let interval) = self, let moment else { return nil }
        return moment.advanced(by: interval)
    }
}

extension Strideable where Stride: Comparable {
    /// The first moment behind `moment` that lies a whole number of intervals from this one.
    ///
    /// Takes time in proportion to the logarithm of that number. An interval that leads nowhere, because it is not greater
    /// than zero or because the clock stands still, ends at once: `moment` is the answer then.
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
