import HeadgateCore

/// Delivers one value when it is there and has been requested, whichever comes last.
///
/// It is not generic: what there is to deliver, and to whom, is in a closure that was made where the types are known.
@usableFromInline package final class OnceConduit: ConduitSubscription {
    @usableFromInline package typealias Delivery = (OnceConduit) -> Void

    @usableFromInline package let gate: LastValueGate

    // Written before the gate hears that the value is ready, and taken by the one caller whose turn it is; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var delivery: Delivery?

    /// Called once, where the subscriber cancels before the end.
    @usableFromInline package let leave: ((OnceConduit) -> Void)?

    @usableFromInline package let name: StaticString

    /// Creates the conduit.
    ///
    /// - Parameters:
    ///   - delivery: Delivers the value, then asks `finish()` whether to deliver the completion; `nil` if the value is not
    ///     there yet.
    ///   - leave: Called once, where the subscriber cancels before the end.
    @inlinable package init(
        name: StaticString, delivery: Delivery? = nil, leave: ((OnceConduit) -> Void)? = nil
    ) {
        self.name = name
        self.delivery = delivery
        self.leave = leave
        gate = LastValueGate(isReady: delivery != nil)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: OnceConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none, conduit.gate.request() { conduit.deliver() }
            case .cancel:
                let (isFirst, hasValue) = conduit.gate.close()
                if hasValue { conduit.delivery = nil }
                if isFirst { conduit.leave?(conduit) }
            }
        }
    }

    /// Hears, once at most, that the value is there.
    @inlinable package func fulfill(_ delivery: @escaping Delivery) {
        self.delivery = delivery
        switch gate.makeReady() {
        case .deliver: deliver()
        case .wait: break
        case .release: self.delivery = nil
        }
    }

    @inlinable package func deliver() { delivery.take()?(self) }

    /// Ends the stream.
    ///
    /// - Returns: Whether the subscriber is still there.
    @inlinable package func finish() -> Bool { gate.finish() }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        leave == nil ? .answersDemandAtOnce : .waitsForDemand
    }
}

extension Subscriber {
    /// Connects the subscriber to one value that is there.
    @inlinable package func connect(toOnly value: Input, name: StaticString) {
        receive(subscription: OnceConduit(name: name, delivery: delivery(of: value)))
    }

    /// How to deliver a value and finish.
    @inlinable package func delivery(of value: Input) -> OnceConduit.Delivery {
        { conduit in
            _ = receive(value)
            if conduit.finish() { receive(completion: .finished) }
        }
    }

    /// Connects the subscriber to a stream that has ended already.
    @inlinable package func connect(toEnd completion: Subscribers.Completion<Failure>) {
        receive(subscription: Subscriptions.empty)
        receive(completion: completion)
    }
}
