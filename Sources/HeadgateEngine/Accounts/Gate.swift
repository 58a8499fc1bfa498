import HeadgateCore

/// The subscription of a conduit that forwards what upstream sends and may cut it off.
///
/// It refers to upstream and not to the conduit, so a subscriber that never releases its subscription retains neither
/// the conduit nor itself.
@usableFromInline package final class Gate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let name: String

    /// Called before a signal is forwarded upstream.
    @usableFromInline package let notify: ((Signal) -> Void)?

    /// Creates a gate that forwards requests and the cancellation upstream.
    ///
    /// - Parameter tell: Called before each signal is forwarded; not after the end, and for one cancellation only.
    @inlinable package init(name: String, notify: ((Signal) -> Void)? = nil) {
        self.name = name
        self.notify = notify
        super.init(handle: Gate.pass)
    }

    /// Forwards a signal through this gate and all gates upstream of it: a loop, so the stack doesn't grow with their
    /// number.
    @usableFromInline package static func pass(_ conduit: ConduitSubscription, _ signal: Signal) {
        var gate = unsafeDowncast(conduit, to: Gate.self)
        while true {
            let subscription =
                switch signal {
                case .request: gate.upstream.held
                case .cancel: gate.upstream.take()
                }
            guard let subscription else { return }
            gate.notify?(signal)
            guard let next = subscription as? Gate else { return subscription.handle(subscription, signal) }
            gate = next
        }
    }

    @usableFromInline package override var description: String { name }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
