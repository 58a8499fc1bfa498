import HeadgateCore

/// The subscription of a conduit that forwards what upstream sends and may cut it off.
///
/// It refers to upstream and not to the conduit, so a subscriber that never releases its subscription retains neither
/// the conduit nor itself.
@usableFromInline package final class Gate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// When a gate says what it is sent.
    @usableFromInline package enum Telling {
        /// Before the gate looks at upstream: also signals that are not forwarded, such as those after the end.
        case everySignal
        /// Before the signal is forwarded: requests before the end and one cancellation.
        case forwardedSignals
        /// After upstream has received it: one cancellation, and no requests.
        case cancellation
    }

    // Here, where there is a gap.
    @usableFromInline let telling: Telling

    /// The description in a log; that of upstream's subscription if there is none.
    @usableFromInline package let name: String?

    /// Called with a signal.
    @usableFromInline package let notify: ((Signal) -> Void)?

    /// Creates a gate that forwards requests and the cancellation upstream.
    ///
    /// - Parameters:
    ///   - notify: Called with the signals.
    ///   - telling: With which of them, and when.
    @inlinable package init(
        name: String?, notify: ((Signal) -> Void)? = nil, telling: Telling = .forwardedSignals
    ) {
        self.telling = telling
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
            if case .everySignal = gate.telling { gate.notify?(signal) }
            let subscription =
                switch signal {
                case .request: gate.upstream.held
                case .cancel: gate.upstream.take()
                }
            guard let subscription else { return }
            switch gate.telling {
            case .everySignal:
                break
            case .forwardedSignals:
                gate.notify?(signal)
            case .cancellation:
                guard case .cancel = signal, let notify = gate.notify else { break }
                subscription.cancel()
                notify(signal)
                return
            }
            guard let next = subscription as? Gate else { return subscription.handle(subscription, signal) }
            gate = next
        }
    }

    @usableFromInline package override var description: String {
        name ?? upstream.subscription.map { "\($0)" } ?? "Empty"
    }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}
