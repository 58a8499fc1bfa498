import Headgate
import HeadgateEngine
import HeadgateCore

/// What sees everything that passes one edge.
protocol TapObserver<Value, Failure>: AnyObject {
    associatedtype Value
    associatedtype Failure: Error

    /// Sees an event just before it is passed on; an answer, just after it was given.
    func note(_ event: StreamEvent<Value, Failure>)

    /// Sees that a cancellation that was passed on has returned.
    func noteCancelReturned()
}

extension TapObserver {
    func noteCancelReturned() {}
}

/// A subscriber that passes everything on and shows it to an observer.
final class Tap<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // Used from the threads that deliver, which exclude each other by contract; what two threads may reach is behind the
    // lock.

    private let downstream: Guarded<AnySubscriber<Input, Failure>?>
    private let observer: any TapObserver<Input, Failure>

    init(_ downstream: AnySubscriber<Input, Failure>, observer: any TapObserver<Input, Failure>) {
        // Both threads that may reach it come through the lock.
        nonisolated(unsafe) let downstream = Optional(downstream)
        self.downstream = Guarded(downstream)
        self.observer = observer
    }

    func receive(subscription: any Subscription) {
        observer.note(.subscription("\(subscription)"))
        let target = downstream.withLock { $0 }
        target?.receive(
            subscription: TapSubscription(
                subscription, name: "\(subscription)",
                onRequest: { [observer] in observer.note(.request($0)) },
                onCancel: { [observer, weak self] in
                    observer.note(.cancel)
                    self?.letGo()
                }, onCancelReturned: { [observer] in observer.noteCancelReturned() }))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        observer.note(.value(input))
        let answer = downstream.withLock { $0 }?.receive(input) ?? .none
        observer.note(.answer(answer))
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        observer.note(.completion(completion))
        letGo()?.receive(completion: completion)
    }

    @discardableResult private func letGo() -> AnySubscriber<Input, Failure>? {
        downstream.withLock { downstream in
            let old = downstream
            downstream = nil
            return old
        }
    }
}

/// The subscription that a tap hands downstream.
final class TapSubscription: Subscription, CustomStringConvertible, @unchecked Sendable {
    // The subscription is let go of at the first cancellation, outside the lock.
    private let upstream: Guarded<(any Subscription)?>
    private let onRequest: (Subscribers.Demand) -> Void
    private let onCancel: () -> Void
    private let onCancelReturned: () -> Void
    let description: String

    init(
        _ upstream: any Subscription, name: String, onRequest: @escaping (Subscribers.Demand) -> Void,
        onCancel: @escaping () -> Void, onCancelReturned: @escaping () -> Void
    ) {
        // A subscription may be called from any thread.
        nonisolated(unsafe) let upstream = Optional(upstream)
        self.upstream = Guarded(upstream)
        description = name
        self.onRequest = onRequest
        self.onCancel = onCancel
        self.onCancelReturned = onCancelReturned
    }

    func request(_ demand: Subscribers.Demand) {
        onRequest(demand)
        upstream.withLock { $0 }?.request(demand)
    }

    func cancel() {
        let old = upstream.withLock { upstream in
            let old = upstream
            upstream = nil
            return old
        }
        guard let old else { return }
        onCancel()
        old.cancel()
        onCancelReturned()
    }
}
