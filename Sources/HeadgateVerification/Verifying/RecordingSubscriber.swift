import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// Forwards everything between a test publisher and the subscriber under test, and draws it.
final class RecordingSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // State that several threads reach is guarded by locks; the closures are set before anything happens.

    private let downstream: AnySubscriber<Input, Failure>
    private let builder = Guarded(TimeLineBuilder(column: nil, rows: Set(TimeLine.Row.allCases)))
    private let values = Guarded((count: 0, underWay: 0))

    /// Called when the subscriber has requested from outside any delivery.
    var onRequest: () -> Void = {}

    /// Called when the subscriber is about to cancel from outside any delivery.
    var onCancel: () -> Void = {}

    /// Called when the subscriber has received a value, inside its delivery.
    var onValue: () -> Void = {}

    init(_ subscriber: some Subscriber<Input, Failure>) {
        downstream = AnySubscriber(subscriber)
    }

    /// The number of values delivered.
    var valueCount: Int { values.withLock { $0.count } }

    private var isDelivering: Bool { values.withLock { $0.underWay > 0 } }

    /// The events so far.
    var timeLine: TimeLine { builder.withLock { $0.line } }

    private func note(_ event: StreamEvent<Input, Failure>) {
        builder.withLock { if $0.line.length < 400 { $0.note(event, at: .zero) } }
    }

    func receive(subscription: any Subscription) {
        note(.subscription(""))
        downstream.receive(subscription: RecordedSubscription(subscription, recorder: self))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        note(.value(input))
        values.withLock { $0 = ($0.count + 1, $0.underWay + 1) }
        let answer = downstream.receive(input)
        onValue()
        values.withLock { $0.underWay -= 1 }
        note(.answer(answer))
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        note(.completion(completion))
        downstream.receive(completion: completion)
    }

    fileprivate func request(_ demand: Subscribers.Demand, of subscription: any Subscription) {
        note(.request(demand))
        subscription.request(demand)
        if !isDelivering { onRequest() }
    }

    fileprivate func cancel(_ subscription: any Subscription) {
        if !isDelivering { onCancel() }
        note(.cancel)
        subscription.cancel()
    }
}

/// The subscription of the subscriber under test.
private final class RecordedSubscription<Input, Failure: Error>: Subscription {
    private let subscription: any Subscription
    private let recorder: RecordingSubscriber<Input, Failure>

    init(_ subscription: any Subscription, recorder: RecordingSubscriber<Input, Failure>) {
        self.subscription = subscription
        self.recorder = recorder
    }

    func request(_ demand: Subscribers.Demand) { recorder.request(demand, of: subscription) }
    func cancel() { recorder.cancel(subscription) }
}
