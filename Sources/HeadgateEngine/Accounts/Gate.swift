import HeadgateCore

/// The subscription of a conduit that forwards what upstream sends and may cut it off.
///
/// It refers to upstream and not to the conduit, so a subscriber that never releases its subscription retains neither
/// the conduit nor itself.
@usableFromInline package final class Gate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// Whether signals that are not forwarded, such as those after the end, are told as well, before the gate looks at
    /// upstream.
    // Here, where there is a gap.
    @usableFromInline let tellsEverySignal: Bool

    @usableFromInline package let name: String

    /// Called with a signal before it is forwarded upstream.
    @usableFromInline package let notify: ((Signal) -> Void)?

    /// Creates a gate that forwards requests and the cancellation upstream.
    ///
    /// - Parameters:
    ///   - notify: Called before each signal is forwarded.
    ///   - tellsEverySignal: Whether it is called for each signal, and not only for requests before the end and one
    ///     cancellation.
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
            // Before the subscription is taken: who cancels elsewhere meanwhile does it, and doesn't wait for this.
            if gate.tellsEverySignal { gate.notify?(signal) }
            let subscription =
                switch signal {
                case .request: gate.upstream.held
                case .cancel: gate.upstream.take()
                }
            guard let subscription else { return }
            if !gate.tellsEverySignal { gate.notify?(signal) }
            guard let next = subscription as? Gate else { return subscription.handle(subscription, signal) }
            gate = next
        }
    }

    @usableFromInline package override var description: String { name }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
