import HeadgateCore

/// What a fold says to one value.
@usableFromInline
enum FoldResult<Failure: Error> {
    /// More values are needed.
    case more
    /// The result is known, whatever may follow.
    case done
    /// There will be no result.
    case failed(Failure)
}

/// The part of a fold that is not protocol: takes all values in, and makes at most one value of them.
@usableFromInline
protocol Fold {
    associatedtype Input
    associatedtype InputFailure: Error
    associatedtype Output
    associatedtype Failure: Error

    /// What a log shows for the subscription.
    var name: StaticString { get }

    /// Whether there would be a result if upstream finished now.
    var hasResult: Bool { get }

    /// Takes one value in.
    mutating func receive(_ input: Input) -> FoldResult<Failure>

    /// The result; asked for once, where there is one.
    func result() -> Output

    /// Translates a failure of upstream.
    func failure(_ failure: InputFailure) -> Failure
}

extension Fold where InputFailure == Failure {
    @inlinable
    func failure(_ failure: InputFailure) -> Failure { failure }
}

/// A fold that may throw, which ends the stream with the error.
@usableFromInline
protocol ThrowingFold: Fold where Failure == any Error {
    /// Takes one value in.
    ///
    /// - Returns: Whether the result is known, whatever may follow.
    mutating func attempt(_ input: Input) throws -> Bool
}

extension ThrowingFold {
    @inlinable
    @inline(__always)
    mutating func receive(_ input: Input) -> FoldResult<any Error> {
        do {
            return try attempt(input) ? .done : .more
        } catch {
            return .failed(error)
        }
    }

    @inlinable
    func failure(_ failure: InputFailure) -> any Error { failure }
}

/// Asks upstream for everything at once, and delivers the result of the fold when it is known and has been asked for.
@usableFromInline
final class FoldConduit<Folding: Fold>: ConduitSubscription, Subscriber {
    @usableFromInline
    typealias Input = Folding.Input

    @usableFromInline
    typealias Failure = Folding.InputFailure

    @usableFromInline
    let gate = LastValueGate()

    @usableFromInline
    let upstream = SubscriptionSlot()

    // Used by the deliveries of upstream, which are serial, and then by the one caller that delivers the result; hence
    // unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var folding: Folding

    // Cleared by whoever closes the gate, or by the delivery if one is under way then; hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var downstream: AnySubscriber<Folding.Output, Folding.Failure>?

    @inlinable
    init<S: Subscriber>(_ folding: Folding, _ downstream: S)
    where S.Input == Folding.Output, S.Failure == Folding.Failure {
        self.folding = folding
        self.downstream = AnySubscriber(downstream)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: FoldConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none, conduit.gate.ask() { conduit.deliver() }
            case .cancel:
                conduit.upstream.cancel()
                _ = conduit.close()
            }
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        downstream?.receive(subscription: self)
        if !upstream.isClosed { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Folding.Input) -> Subscribers.Demand {
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

    @inlinable
    func receive(completion: Subscribers.Completion<Folding.InputFailure>) {
        if !upstream.close() { return }
        switch completion {
        case .finished where folding.hasResult: makeReady()
        case .finished: close()?.receive(completion: .finished)
        case .failure(let failure): close()?.receive(completion: .failure(folding.failure(failure)))
        }
    }

    @inlinable
    func makeReady() {
        if gate.makeReady() { deliver() }
    }

    @inlinable
    func deliver() {
        guard let downstream else { return }
        _ = downstream.receive(folding.result())
        let isOpen = gate.finish()
        self.downstream = nil
        if isOpen { downstream.receive(completion: .finished) }
    }

    /// Closes the conduit for ever.
    ///
    /// - Returns: Whom to tell; nobody, if it was closed or the result is being delivered.
    @inlinable
    func close() -> AnySubscriber<Folding.Output, Folding.Failure>? {
        gate.close() ? downstream.take() : nil
    }

    @usableFromInline
    override var description: String { folding.name.description }
}
