import HeadgateCore

/// The subscription of a stream whose observer hears of every request and every `cancel()`, after the end too.
@usableFromInline package final class TellingSubscription: ConduitSubscription {
    @usableFromInline package let gate: Gate

    @usableFromInline package let onRequest: ((Subscribers.Demand) -> Void)?

    @usableFromInline package let onCancel: (() -> Void)?

    @inlinable package init(
        _ gate: Gate, _ onRequest: ((Subscribers.Demand) -> Void)?, _ onCancel: (() -> Void)?
    ) {
        self.gate = gate
        self.onRequest = onRequest
        self.onCancel = onCancel
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: TellingSubscription.self)
            switch signal {
            case .request(let demand):
                conduit.onRequest?(demand)
                conduit.gate.request(demand)
            case .cancel:
                conduit.onCancel?()
                conduit.gate.cancel()
            }
        }
    }

    @usableFromInline package override var description: String { gate.description }

    @usableFromInline package override var answersDemandAtOnce: Bool { gate.answersDemandAtOnce }

    @usableFromInline package override var waitsForDemand: Bool { gate.waitsForDemand }
}
