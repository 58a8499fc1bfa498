import Headgate
import HeadgateTesting

/// A publisher of numbers whose subscription is made by a closure.
struct ClosurePublisher: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure
    typealias Visitor = AnySubscriber<Int, VerificationFailure>

    let connect: (Visitor) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == VerificationFailure {
        connect(AnySubscriber(subscriber))
    }
}

/// A subscription that is made of two closures, which are given the subscription.
final class ClosureSubscription: Subscription, @unchecked Sendable {
    var downstream: ClosurePublisher.Visitor?
    var values: [Int]
    var outstanding = Subscribers.Demand.none
    var isServing = false
    private let onRequest: (ClosureSubscription, Subscribers.Demand) -> Void
    private let onCancel: (ClosureSubscription) -> Void

    init(
        _ downstream: ClosurePublisher.Visitor, values: [Int] = [1, 2, 3, 4, 5],
        onRequest: @escaping (ClosureSubscription, Subscribers.Demand) -> Void,
        onCancel: @escaping (ClosureSubscription) -> Void = { $0.downstream = nil }
    ) {
        self.downstream = downstream
        self.values = values
        self.onRequest = onRequest
        self.onCancel = onCancel
    }

    func request(_ demand: Subscribers.Demand) { onRequest(self, demand) }
    func cancel() { onCancel(self) }

    /// Ends the stream properly.
    func finish() {
        let downstream = self.downstream
        self.downstream = nil
        downstream?.receive(completion: .finished)
    }

    /// Serves what is outstanding properly.
    func serve() {
        if isServing { return }
        isServing = true
        while outstanding > .none, !values.isEmpty, let downstream {
            outstanding -= 1
            outstanding += downstream.receive(values.removeFirst())
        }
        isServing = false
        if values.isEmpty { finish() }
    }
}

extension ClosurePublisher {
    /// A publisher of five numbers that answers requests as a closure does.
    static func answering(
        onRequest: @escaping (ClosureSubscription, Subscribers.Demand) -> Void,
        onCancel: @escaping (ClosureSubscription) -> Void = { $0.downstream = nil }
    ) -> ClosurePublisher {
        ClosurePublisher {
            $0.receive(subscription: ClosureSubscription($0, onRequest: onRequest, onCancel: onCancel))
        }
    }
}
