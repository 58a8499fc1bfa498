import HeadgateCore

/// Delivers one value once it is available and has been requested, whichever happens last.
///
/// It isn't generic: what to deliver, and to which subscriber, is in a closure created where the types are known.
// Not final: a `TailGate` delivers its last value as this does.
@usableFromInline package class OnceConduit: ConduitSubscription, SignalHandling {
    @usableFromInline package typealias Delivery = (OnceConduit) -> Void

    @usableFromInline package final let gate: LastValueGate

    // Confined to the caller that makes the value available, and then to the one for which the gate opens.
    @exclusivity(unchecked) @usableFromInline package final var delivery: Delivery?

    /// Called once, if the subscriber cancels before the end.
    @usableFromInline package final let leave: ((OnceConduit) -> Void)?

    @usableFromInline package final let name: StaticString

    /// Creates the conduit.
    ///
    /// - Parameters:
    ///   - delivery: Delivers the value, then calls `finish()` to learn whether to deliver the completion; `nil` if the
    ///     value isn't available yet.
    ///   - leave: Called once, if the subscriber cancels before the end.
    @inlinable package init(
        name: StaticString, delivery: Delivery? = nil, leave: ((OnceConduit) -> Void)? = nil
    ) {
        self.name = name
        self.delivery = delivery
        self.leave = leave
        gate = LastValueGate(isReady: delivery != nil)
        super.init(handle: OnceConduit.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if demand > .none, gate.request() { deliver() }
    }

    @inlinable package func handleCancel() {
        let (isFirst, hasValue) = gate.close()
        if hasValue { delivery = nil }
        if isFirst { leave?(self) }
    }

    /// Makes the value available; called at most once.
    @inlinable package final func fulfill(_ delivery: @escaping Delivery) {
        self.delivery = delivery
        switch gate.makeReady() {
        case .deliver: deliver()
        case .wait: break
        case .release: self.delivery = nil
        }
    }

    @inlinable package final func deliver() { delivery.take()?(self) }

    /// Completes the stream.
    ///
    /// - Returns: Whether the subscriber has not cancelled.
    @inlinable package final func finish() -> Bool { gate.finish() }

    @usableFromInline package final override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        leave == nil ? .answersDemandAtOnce : .waitsForDemand
    }
}

extension Subscriber {
    /// Attaches the subscriber to a single value that is available.
    @inlinable package func serve(only value: Input, name: StaticString) {
        if Self._needsNoSubscription {
            _ = receive(value)
            receive(completion: .finished)
        } else {
            receive(subscription: OnceConduit(name: name, delivery: delivery(of: value)))
        }
    }

    /// Creates the closure that delivers a value and finishes.
    @inlinable package func delivery(of value: Input) -> OnceConduit.Delivery {
        { conduit in
            _ = receive(value)
            if conduit.finish() { receive(completion: .finished) }
        }
    }

    /// Attaches the subscriber to a stream that sends nothing.
    @inlinable package func waitForNothing() { receive(subscription: Subscriptions.empty) }

    /// Attaches the subscriber to a stream that has completed already.
    @inlinable package func complete(
        with completion: Subscribers.Completion<Failure>,
        after subscription: @autoclosure () -> any Subscription = Subscriptions.empty
    ) {
        if !Self._needsNoSubscription { receive(subscription: subscription()) }
        receive(completion: completion)
    }
}
