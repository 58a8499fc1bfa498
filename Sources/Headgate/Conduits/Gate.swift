import HeadgateCore

/// The subscription of a conduit that passes on what upstream sends and may cut it off.
///
/// It leads to upstream and not to the conduit, so that a subscriber that never lets go of its subscription keeps
/// neither the conduit nor itself alive.
@usableFromInline
final class Gate: ConduitSubscription {
    @usableFromInline
    let upstream = SubscriptionSlot()

    @usableFromInline
    let name: String

    /// Makes a gate that passes requests and the cancellation upstream.
    @inlinable
    init(name: String) {
        self.name = name
        super.init(handle: Gate.pass)
    }

    /// Makes a gate that tells an observer what it is about to pass upstream.
    @inlinable
    init(name: String, tell: @escaping (Signal) -> Void) {
        self.name = name
        super.init { conduit, signal in
            tell(signal)
            Gate.pass(conduit, signal)
        }
    }

    @inlinable
    static func pass(_ conduit: ConduitSubscription, _ signal: Signal) {
        let gate = unsafeDowncast(conduit, to: Gate.self)
        switch signal {
        case .request(let demand): gate.upstream.request(demand)
        case .cancel: gate.upstream.cancel()
        }
    }

    @usableFromInline
    override var description: String { name }

    @usableFromInline
    override var answersDemandAtOnce: Bool { upstream.subscription?.answersDemandAtOnce ?? false }
}
