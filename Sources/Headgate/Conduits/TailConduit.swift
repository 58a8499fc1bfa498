import HeadgateCore

/// The part of an operator with a value behind the end of upstream that is not protocol.
@usableFromInline
protocol Tail {
    associatedtype Input
    associatedtype InputFailure: Error
    associatedtype Output
    associatedtype Failure: Error

    /// What a log shows for the subscription.
    var name: StaticString { get }

    /// How many values of upstream one value is made of.
    var inputsPerOutput: Int { get }

    /// The value behind the end of upstream; asked for once, where there is one.
    var last: Output { get }

    /// Takes one value in.
    ///
    /// - Returns: What goes on, one value for each `inputsPerOutput`.
    mutating func receive(_ input: Input) -> Output?

    /// Translates the completion of upstream.
    ///
    /// - Returns: The completion, or `nil` if the last value comes first, and then the stream finishes.
    func receive(completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>?
}

extension Tail {
    @inlinable
    var inputsPerOutput: Int { 1 }
}

/// Passes on what the tail makes of the values as they come, and behind the end of upstream the tail's last value, when
/// it has been asked for.
@usableFromInline
final class TailConduit<Ending: Tail>: ConduitSubscription, Subscriber {
    @usableFromInline
    typealias Input = Ending.Input

    @usableFromInline
    typealias Failure = Ending.InputFailure

    @usableFromInline
    let upstream = SubscriptionSlot()

    /// The demand that upstream has not served; closed when upstream has ended and the last value is due.
    @usableFromInline
    let outstanding = OutstandingDemand()

    /// Stands behind `outstanding`: takes over when that is closed.
    @usableFromInline
    let gate = LastValueGate()

    // Used by the deliveries of upstream, which are serial, and then by the one caller that delivers the last value;
    // hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var tail: Ending

    @usableFromInline
    let downstream: AnySubscriber<Ending.Output, Ending.Failure>

    @usableFromInline
    let inputsPerOutput: Int

    @inlinable
    init<S: Subscriber>(_ tail: Ending, _ downstream: S) where S.Input == Ending.Output, S.Failure == Ending.Failure {
        self.tail = tail
        self.downstream = AnySubscriber(downstream)
        inputsPerOutput = tail.inputsPerOutput
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: TailConduit.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel:
                _ = conduit.gate.close()
                conduit.upstream.cancel()
            }
        }
    }

    @inlinable
    func handleRequest(_ demand: Subscribers.Demand) {
        if demand == .none { return }
        if outstanding.add(demand) != nil {
            upstream.request(demand.multiplied(by: inputsPerOutput))
        } else if gate.ask() {
            deliverLast()
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Ending.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        guard let output = tail.receive(input) else { return .none }
        if outstanding.isUnlimited {
            _ = downstream.receive(output)
            return .none
        }
        _ = outstanding.takeOne()
        let more = downstream.receive(output)
        outstanding.add(more)
        return more.multiplied(by: inputsPerOutput)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Ending.InputFailure>) {
        if !upstream.close() { return }
        if let completion = tail.receive(completion: completion) {
            downstream.receive(completion: completion)
            return
        }
        // A request goes either into the account before it closes, or to the gate.
        let isOwed = outstanding.close() ?? .none > .none
        if isOwed { _ = gate.ask() }
        if gate.makeReady() { deliverLast() }
    }

    @inlinable
    func deliverLast() {
        _ = downstream.receive(tail.last)
        if gate.finish() { downstream.receive(completion: .finished) }
    }

    @usableFromInline
    override var description: String { tail.name.description }

    @usableFromInline
    override var answersDemandAtOnce: Bool { upstream.subscription?.answersDemandAtOnce ?? false }
}

extension Subscribers.Demand {
    /// This demand so many times over; no limit where that is more than can be counted.
    @inlinable
    func multiplied(by count: Int) -> Self {
        let (product, overflow) = rawValue.multipliedReportingOverflow(by: count.magnitude)
        return overflow ? .unlimited : Self(saturating: product)
    }
}
