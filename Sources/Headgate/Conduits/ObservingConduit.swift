import HeadgateCore

/// What to tell about a stream that passes by.
@usableFromInline
struct StreamObserver<Output, Failure: Error> {
    @usableFromInline
    var subscription: ((any Subscription) -> Void)?

    @usableFromInline
    var value: ((Output) -> Void)?

    @usableFromInline
    var completion: ((Subscribers.Completion<Failure>) -> Void)?

    @usableFromInline
    var request: ((Subscribers.Demand) -> Void)?

    /// Demand that is the answer to a value.
    @usableFromInline
    var answer: ((Subscribers.Demand) -> Void)?

    @usableFromInline
    var cancel: (() -> Void)?

    @inlinable
    init() {}
}

/// Passes everything on in both directions, and tells an observer before it does.
///
/// The observer hears nothing after the end and after `cancel()`.
@usableFromInline
final class ObservingConduit<Output, Failure: Error>: Subscriber {
    @usableFromInline
    typealias Input = Output

    @usableFromInline
    let observer: StreamObserver<Output, Failure>

    @usableFromInline
    let downstream: AnySubscriber<Output, Failure>

    @usableFromInline
    let gate: Gate

    @inlinable
    init<S: Subscriber>(name: StaticString, _ observer: StreamObserver<Output, Failure>, _ downstream: S)
    where S.Input == Output, S.Failure == Failure {
        self.observer = observer
        self.downstream = AnySubscriber(downstream)
        gate = Gate(name: name.description) { [request = observer.request, cancel = observer.cancel] signal in
            switch signal {
            case .request(let demand): request?(demand)
            case .cancel: cancel?()
            }
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if !gate.upstream.fill(with: subscription) { return }
        observer.subscription?(subscription)
        downstream.receive(subscription: gate)
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
        if gate.upstream.isClosed { return .none }
        observer.value?(input)
        let demand = downstream.receive(input)
        if demand > .none { observer.answer?(demand) }
        return demand
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if !gate.upstream.close() { return }
        observer.completion?(completion)
        downstream.receive(completion: completion)
    }
}
