import HeadgateCore

/// The subscription of a conduit that forwards what upstream sends and may cut it off.
///
/// It refers to upstream and not to the conduit, so a subscriber that never releases its subscription retains neither
/// the conduit nor itself.
@usableFromInline package final class Gate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// Whether signals that are not forwarded, such as those after the end, are told as well.
    // Here, where there is a gap.
    @usableFromInline let tellsEverySignal: Bool

    @usableFromInline package let name: String

    /// Called before a signal is forwarded upstream.
    @usableFromInline package let notify: ((Signal) -> Void)?

    /// Creates a gate that forwards requests and the cancellation upstream.
    ///
    /// - Parameters:
    ///   - notify: Called before each signal is forwarded; not after the end, and for one cancellation only.
    ///   - tellsEverySignal: Whether it is also called with those that are not forwarded.
    @inlinable package init(name: String, notify: ((Signal) -> Void)? = nil, tellsEverySignal: Bool = false) {
        self.tellsEverySignal = tellsEverySignal
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
            if subscription != nil || gate.tellsEverySignal { gate.notify?(signal) }
            guard let subscription else { return }
            guard let next = subscription as? Gate else { return subscription.handle(subscription, signal) }
            gate = next
        }
    }

    @usableFromInline package override var description: String { name }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
