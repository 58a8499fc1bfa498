import HeadgateCore

/// The varying part of an operator that may publish a value after the end of upstream.
@usableFromInline package protocol Tail {
    associatedtype Input
    associatedtype InputFailure: Error
    associatedtype Output
    associatedtype Failure: Error

    /// The description of the subscription in a log.
    var name: StaticString { get }

    /// How many upstream values make up one value.
    var inputsPerOutput: Int { get }

    /// Whether the number of values that make up one isn't known, so that another is requested from upstream each time
    /// none is produced.
    var requestsAgain: Bool { get }

    /// Receives a value.
    ///
    /// - Returns: The value to deliver, one for each `inputsPerOutput`.
    mutating func receive(_ input: Input) -> Output?

    /// The value to deliver between upstream's completion and the stream's, if there is one. Called once.
    func finalValue(before completion: Subscribers.Completion<InputFailure>) -> Output?

    /// The completion of the stream. Called once.
    func completion(for completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>
}

extension Tail {
    @inlinable package var inputsPerOutput: Int { 1 }

    @inlinable package var requestsAgain: Bool { false }

    @inlinable package func finalValue(before completion: Subscribers.Completion<InputFailure>) -> Output? { nil }
}

extension Tail where Failure == InputFailure {
    /// Upstream's.
    @inlinable package func completion(for completion: Subscribers.Completion<Failure>)
        -> Subscribers.Completion<Failure>
    {
        completion
    }
}

extension Tail where Failure == Never {
    /// The stream finishes, however upstream has completed.
    @inlinable package func completion(for completion: Subscribers.Completion<InputFailure>)
        -> Subscribers.Completion<Failure>
    {
        .finished
    }
}

/// Delivers what the tail makes of the values as they arrive, and the tail's last value after the end of upstream, once
/// there is demand.
@usableFromInline package final class TailConduit<Ending: Tail>: Subscriber {
    @usableFromInline package typealias Input = Ending.Input

    @usableFromInline package typealias Failure = Ending.InputFailure

    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package var tail: Ending

    @usableFromInline package let downstream: AnySubscriber<Ending.Output, Ending.Failure>

    @usableFromInline package let gate: TailGate

    @inlinable package init(_ tail: Ending, _ downstream: some Subscriber<Ending.Output, Ending.Failure>) {
        self.tail = tail
        self.downstream = AnySubscriber(downstream)
        gate = TailGate(name: tail.name, inputsPerOutput: tail.inputsPerOutput)
    }

    @inlinable package func receive(subscription: any Subscription) {
        if gate.upstream.fill(with: subscription) { downstream.receive(subscription: gate) }
    }

    @inlinable package func receive(_ input: Ending.Input) -> Subscribers.Demand {
        if gate.upstream.isClosed { return .none }
        guard let output = tail.receive(input) else { return tail.requestsAgain ? .max(1) : .none }
        if gate.outstanding.isUnlimited {
            _ = downstream.receive(output)
            return .none
        }
        _ = gate.outstanding.takeOne()
        let more = downstream.receive(output)
        gate.outstanding.add(more)
        return more.multiplied(by: gate.inputsPerOutput)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Ending.InputFailure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        let last = tail.finalValue(before: completion)
        let completion = tail.completion(for: completion)
        guard let last else { return downstream.receive(completion: completion) }
        gate.end { [downstream] gate in
            _ = downstream.receive(last)
            if gate.finish() { downstream.receive(completion: completion) }
        }
    }
}

/// The subscription of a `TailConduit`: refers to upstream, and once that has completed, delivers the last value.
///
/// It doesn't refer to the conduit, so a subscriber that never releases its subscription retains neither the conduit
/// nor itself.
@usableFromInline package final class TailGate: OnceConduit {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// The demand that upstream has not satisfied; closed when upstream has completed and the last value is due.
    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let inputsPerOutput: Int

    @inlinable package init(name: StaticString, inputsPerOutput: Int) {
        self.inputsPerOutput = inputsPerOutput
        super.init(name: name)
    }

    @usableFromInline package override func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) != nil {
            upstream.request(demand.multiplied(by: inputsPerOutput))
        } else {
            super.handleRequest(demand)
        }
    }

    @usableFromInline package override func handleCancel() {
        super.handleCancel()
        upstream.cancel()
    }

    /// Called when upstream has completed and there is a last value to deliver.
    @usableFromInline package func end(delivery: @escaping Delivery) {
        // A request goes either to the account before it closes, or to the gate.
        if outstanding.close() ?? .none > .none { _ = gate.request() }
        fulfill(delivery)
    }

    @usableFromInline package override var traits: SubscriptionTraits {
        upstream.traits.intersection([.answersDemandAtOnce, .answersLater])
    }
}

extension Subscribers.Demand {
    /// Multiplies this demand; unlimited upon overflow.
    @inlinable package func multiplied(by count: Int) -> Self {
        let (product, overflow) = rawValue.multipliedReportingOverflow(by: count.magnitude)
        return overflow ? .unlimited : Self(saturating: product)
    }
}
