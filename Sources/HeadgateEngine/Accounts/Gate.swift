import HeadgateCore

/// The subscription of a conduit that passes on what upstream sends and may cut it off.
///
/// It leads to upstream and not to the conduit, so that a subscriber that never lets go of its subscription keeps
/// neither the conduit nor itself alive.
@usableFromInline package final class Gate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let name: String

    /// Hears what is about to pass upstream.
    @usableFromInline package let tell: ((Signal) -> Void)?

    /// Makes a gate that passes requests and the cancellation upstream.
    ///
    /// - Parameter tell: Hears of each before it passes; of nothing behind the end, and of one cancellation only.
    @inlinable package init(name: String, tell: ((Signal) -> Void)? = nil) {
        self.name = name
        self.tell = tell
        super.init(handle: Gate.pass)
    }

    /// Passes a signal through this gate and all that follow it upstream: a loop, so that the stack does not grow with
    /// their number.
    @usableFromInline package static func pass(_ conduit: ConduitSubscription, _ signal: Signal) {
        var gate = unsafeDowncast(conduit, to: Gate.self)
        while true {
            let subscription =
                switch signal {
                case .request: gate.upstream.held
                case .cancel: gate.upstream.take()
                }
            guard let subscription else { return }
            gate.tell?(signal)
            guard let next = subscription as? Gate else { return subscription.receive(signal) }
            gate = next
        }
    }

    @usableFromInline package override var description: String { name }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
