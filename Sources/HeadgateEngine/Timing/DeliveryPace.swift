import HeadgateCore

/// When a scheduled conduit may deliver what has arrived.
@usableFromInline package enum DeliveryPace<Time: Strideable> {
    /// As soon as the scheduler can. The clock isn't read.
    case atOnce
    /// As soon as the scheduler can; the stream ends if no value arrives for a given time.
    case atOnceUntilSilence(Time.Stride)
    /// A given time after the arrival.
    case afterArrival(Time.Stride)
    /// A given time after the previous delivery, or at once.
    case afterDelivery(Time.Stride)
    /// At the next of the boundaries that follow the subscription at regular intervals.
    case atBoundaries(Time.Stride)

    /// The same pace with another interval.
    @inlinable package func mapInterval(_ transform: (Time.Stride) -> Time.Stride) -> Self {
        switch self {
        case .atOnce: .atOnce
        case .atOnceUntilSilence(let interval): .atOnceUntilSilence(transform(interval))
        case .afterArrival(let interval): .afterArrival(transform(interval))
        case .afterDelivery(let interval): .afterDelivery(transform(interval))
        case .atBoundaries(let interval): .atBoundaries(transform(interval))
        }
    }

    /// Whether events have to wait until they are due.
    @inlinable package var usesClock: Bool {
        switch self {
        case .atOnce, .atOnceUntilSilence: false
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
