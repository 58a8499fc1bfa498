import HeadgateCore

/// How an `AsyncConduit` requests the values of a particular source.
@usableFromInline package enum AsyncMode {
    /// One by one, from a source that delivers before the request returns.
    case direct
    /// One by one.
    case single
    /// `size` values ahead, and `step` more each time `step` values have been consumed.
    case window(size: Int, step: Int, isKnownToWait: Bool)
    /// Unlimited, keeping the most recent values.
    case latest(Int)

    @usableFromInline package init(_ policy: AsyncPolicy, for subscription: ConduitSubscription) {
        let traits = subscription.traits
        switch policy {
        case .lossless, .everything, .onDemand:
            if traits.contains(.answersDemandAtOnce) {
                self = .direct
            } else if policy == .onDemand {
                self = .single
            } else if traits.contains(.waitsForDemand) {
                self = .window(size: 64, step: 32, isKnownToWait: true)
            } else if policy == .everything, traits.contains(.sendsByItself) {
                self = .latest(.max)
            } else if policy == .lossless, traits.contains(.holdsLatestOnly) {
                self = .latest(1)
            } else {
                self = .window(size: AsyncPolicy.bound, step: AsyncPolicy.bound / 2, isKnownToWait: false)
            }
        // Its author has chosen what it may lose.
        case .bounded(let count): self = .window(size: count, step: 1, isKnownToWait: true)
        case .newest(let count): self = .latest(count)
        }
    }

    /// What to request at the beginning; `nil` if values are requested one by one.
    @usableFromInline package var initialDemand: Subscribers.Demand? {
        switch self {
        case .direct, .single: nil
        case .window(let size, _, _): .max(size)
        case .latest: .unlimited
        }
    }
}

extension AsyncPolicy {
    /// How many values are kept from a source that may not wait for demand.
    package static let bound = 65_536
}

/// Reports that a source that can't wait for demand loses values from now on.
@usableFromInline func warnOfFullBuffer() {
    printToStandardError(
        """
        Headgate: `values` has buffered \(AsyncPolicy.bound) values that its loop has not come to. A source that does \
        not wait for demand loses what it publishes until the loop has caught up. Choose values(buffering:).\n
        """)
}
