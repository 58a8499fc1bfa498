import HeadgateCore

/// The part of an operator with a value behind the end of upstream that is not protocol.
@usableFromInline package protocol Tail {
    associatedtype Input
    associatedtype InputFailure: Error
    associatedtype Output
    associatedtype Failure: Error

    /// What a log shows for the subscription.
    var name: StaticString { get }

    /// How many values of upstream one value is made of.
    var inputsPerOutput: Int { get }

    /// Whether the number of values that one is made of is not known, so that upstream is asked for one more whenever none
    /// goes on.
    var asksAgain: Bool { get }

    /// The value behind the end of upstream; asked for once, where there is one.
    var last: Output { get }

    /// Takes one value in.
    ///
    /// - Returns: What goes on, one value for each `inputsPerOutput`.
    mutating func receive(_ input: Input) -> Output?

    /// Translates the completion of upstream.
    ///
    /// - Returns: The completion, or `nil` if the last value comes first, and then the stream finishes.
    mutating func receive(completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>?
}

extension Tail {
    @inlinable package var inputsPerOutput: Int { 1 }

    @inlinable package var asksAgain: Bool { false }
}

/// Passes on what the tail makes of the values as they come, and behind the end of upstream the tail's last value, when
/// it has been asked for.
@usableFromInline package final class TailConduit<Ending: Tail>: Subscriber {
    @usableFromInline package typealias Input = Ending.Input

    @usableFromInline package typealias Failure = Ending.InputFailure

    // Used inside deliveries alone, and those are serial and never nested; hence unchecked.
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
        guard let output = tail.receive(input) else { return tail.asksAgain ? .max(1) : .none }
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
        if !gate.upstream.close() { return }
        if let completion = tail.receive(completion: completion) {
            downstream.receive(completion: completion)
            return
        }
        gate.end { [downstream, last = tail.last] gate in
            _ = downstream.receive(last)
            if gate.lastValue.finish() { downstream.receive(completion: .finished) }
        }
    }
}

/// The subscription of a `TailConduit`: leads to upstream, and when that has ended, to the last value.
///
/// It does not lead to the conduit, so that a subscriber that never lets go of its subscription keeps neither the
/// conduit nor itself alive.
@usableFromInline package final class TailGate: ConduitSubscription {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// The demand that upstream has not served; closed when upstream has ended and the last value is due.
    @usableFromInline package let outstanding = OutstandingDemand()

    /// Stands behind `outstanding`: takes over when that is closed.
    @usableFromInline package let lastValue = LastValueGate()

    @usableFromInline package let delivery = Guarded<((TailGate) -> Void)?>(nil)

    @usableFromInline package let name: StaticString

    @usableFromInline package let inputsPerOutput: Int

    @inlinable package init(name: StaticString, inputsPerOutput: Int) {
        self.name = name
        self.inputsPerOutput = inputsPerOutput
        super.init(handle: TailGate.pass)
    }

    @usableFromInline package static func pass(_ conduit: ConduitSubscription, _ signal: Signal) {
        let gate = unsafeDowncast(conduit, to: TailGate.self)
        switch signal {
        case .request(let demand):
            if demand == .none { return }
            if gate.outstanding.add(demand) != nil {
                gate.upstream.request(demand.multiplied(by: gate.inputsPerOutput))
            } else if gate.lastValue.ask() {
                gate.takeDelivery()?(gate)
            }
        case .cancel:
            _ = gate.lastValue.close()
            _ = gate.takeDelivery()
            gate.upstream.cancel()
        }
    }

    /// Hears that upstream has ended and there is a last value to deliver.
    @usableFromInline package func end(delivery: @escaping (TailGate) -> Void) {
        self.delivery.withLock { $0 = delivery }
        // A request goes either into the account before it closes, or to the gate.
        let isOwed = outstanding.close() ?? .none > .none
        if isOwed { _ = lastValue.ask() }
        if lastValue.makeReady() {
            takeDelivery()?(self)
        } else if lastValue.isClosed {
            _ = takeDelivery()
        }
    }

    @usableFromInline package func takeDelivery() -> ((TailGate) -> Void)? {
        delivery.withLock { $0.take() }
    }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var answersDemandAtOnce: Bool {
        upstream.subscription?.answersDemandAtOnce ?? false
    }
}

extension Subscribers.Demand {
    /// This demand so many times over; no limit where that is more than can be counted.
    @inlinable package func multiplied(by count: Int) -> Self {
        let (product, overflow) = rawValue.multipliedReportingOverflow(by: count.magnitude)
        return overflow ? .unlimited : Self(saturating: product)
    }
}
