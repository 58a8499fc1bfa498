import HeadgateCore

/// A fold's response to a value.
@usableFromInline package enum FoldResult<Failure: Error> {
    /// More values are needed.
    case more
    /// The result is known, whatever follows.
    case done
    /// There is no result.
    case failed(Failure)
}

/// The varying part of a fold: receives all values, and produces at most one.
@usableFromInline package protocol Fold {
    associatedtype Input
    associatedtype InputFailure: Error
    associatedtype Output
    associatedtype Failure: Error

    /// The description of the subscription in a log.
    var name: StaticString { get }

    /// Whether there would be a result if upstream finished now; a fold has one from the start, as a rule.
    var hasResult: Bool { get }

    /// Receives a value.
    mutating func receive(_ input: Input) -> FoldResult<Failure>

    /// Receives all values, if that is faster, and then needs more of them.
    ///
    /// - Returns: Whether it has received them.
    mutating func receive(all values: some Sequence<Input>) -> Bool

    /// The result; called at most once, when there is one.
    func result() -> Output

    /// Transforms a failure of upstream.
    func failure(_ failure: InputFailure) -> Failure
}

extension Fold {
    @inlinable package var hasResult: Bool { true }

    @inlinable package mutating func receive(all values: some Sequence<Input>) -> Bool { false }
}

extension Fold where InputFailure == Failure {
    @inlinable package func failure(_ failure: InputFailure) -> Failure { failure }
}

/// A fold that may throw, which fails the stream with the error.
@usableFromInline package protocol ThrowingFold: Fold where Failure == any Error {
    /// Receives a value.
    ///
    /// - Returns: Whether the result is known, whatever follows.
    mutating func attempt(_ input: Input) throws -> Bool
}

extension ThrowingFold {
    @inlinable @inline(__always) package mutating func receive(_ input: Input) -> FoldResult<any Error> {
        do {
            return try attempt(input) ? .done : .more
        } catch {
            return .failed(error)
        }
    }

    @inlinable package func failure(_ failure: InputFailure) -> any Error { failure }
}

/// A fold whose closure never throws, although its type allows it, so that an operator and its throwing twin share one
/// implementation.
@usableFromInline package struct NonthrowingFold<Folding: ThrowingFold>: Fold {
    @usableFromInline package var folding: Folding

    @inlinable package init(_ folding: Folding) { self.folding = folding }

    @inlinable package var name: StaticString { folding.name }

    @inlinable package var hasResult: Bool { folding.hasResult }

    @inlinable @inline(__always)
    package mutating func receive(_ input: Folding.Input) -> FoldResult<Folding.InputFailure> {
        do {
            return try folding.attempt(input) ? .done : .more
        } catch {
            // The closure was made from one that can't throw. Told so, the optimiser omits the test for an error.
            switch Never?.none.unsafelyUnwrapped {}
        }
    }

    @inlinable package func result() -> Folding.Output { folding.result() }
}

/// Requests unlimited values from upstream, and delivers the result of the fold once it is known and there is demand.
///
/// It requests them at once, so nothing is lost of what a subject sends; of an upstream at which nothing happens before,
/// with the subscriber's first demand, so nothing is read while operators downstream are being connected.
@usableFromInline package final class FoldConduit<Folding: Fold>: ConduitSubscription, SignalHandling, Subscriber {
    @usableFromInline package typealias Input = Folding.Input

    @usableFromInline package typealias Failure = Folding.InputFailure

    @usableFromInline package let gate = LastValueGate()

    @usableFromInline package let upstream = SubscriptionSlot()

    /// Matches the request to upstream, where that waits for the subscriber's, with the subscriber's.
    @usableFromInline let firstRequest = LastValueGate()

    // Confined to upstream's deliveries, which are serial, and then to the caller that delivers the result.
    @exclusivity(unchecked) @usableFromInline package var folding: Folding

    // Confined to the caller that closes the gate, or to the delivery if one is under way then.
    @exclusivity(unchecked) @usableFromInline package var downstream: AnySubscriber<Folding.Output, Folding.Failure>?

    @inlinable package init(_ folding: Folding, _ downstream: some Subscriber<Folding.Output, Folding.Failure>) {
        self.folding = folding
        self.downstream = AnySubscriber(downstream)
        super.init(handle: FoldConduit.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if demand == .none { return }
        if gate.request() { return deliver() }
        // What is done before a request comes before what upstream does for it, by the gate. What the subscriber does
        // with its subscription does so by the lock of `upstream`.
        if firstRequest.request() { upstream.request(.unlimited) }
    }

    @inlinable package func handleCancel() {
        upstream.cancel()
        _ = close()
    }

    @inlinable package func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        downstream?.receive(subscription: self)
        if !upstream.isClosed, !waits { subscription.request(.unlimited) }
    }

    /// Whether the first request to upstream waits for the subscriber's.
    @usableFromInline var waits: Bool {
        guard upstream.traits.contains(.startsOnDemand) else { return false }
        return firstRequest.makeReady() == .wait
    }

    @inlinable package func receive(_ input: Folding.Input) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        switch folding.receive(input) {
        case .more:
            break
        case .done:
            if upstream.cancel() { makeReady() }
        case .failed(let failure):
            if upstream.cancel() { close()?.receive(completion: .failure(failure)) }
        }
        return .none
    }

    @inlinable package func _receive(all values: some Sequence<Folding.Input>) -> Bool {
        upstream.isClosed ? false : folding.receive(all: values)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Folding.InputFailure>) {
        if !upstream.close() { return Undeliverable.note(completion) }
        switch completion {
        case .finished where folding.hasResult: makeReady()
        case .finished: close()?.receive(completion: .finished)
        case .failure(let failure): close()?.receive(completion: .failure(folding.failure(failure)))
        }
    }

    @inlinable package func makeReady() {
        if case .deliver = gate.makeReady() { deliver() }
    }

    @inlinable package func deliver() {
        guard let downstream else { return }
        _ = downstream.receive(folding.result())
        let isOpen = gate.finish()
        self.downstream = nil
        if isOpen { downstream.receive(completion: .finished) }
    }

    /// Closes the conduit permanently.
    ///
    /// - Returns: The subscriber to notify; `nil` if it was closed or the result is being delivered.
    @inlinable package func close() -> AnySubscriber<Folding.Output, Folding.Failure>? {
        gate.close().isFirst ? downstream.take() : nil
    }

    @usableFromInline package override var description: String { folding.name.description }

    // The result does, whatever upstream does.
    @usableFromInline package override var traits: SubscriptionTraits { .waitsForDemand }
}

extension Publisher {
    /// Attaches a subscriber to what a fold makes of all values.
    @inlinable @inline(__always) package func fold<Folding: Fold>(
        by folding: Folding, to subscriber: some Subscriber<Folding.Output, Folding.Failure>
    ) where Folding.Input == Output, Folding.InputFailure == Failure {
        receive(subscriber: FoldConduit(folding, subscriber))
    }
}
