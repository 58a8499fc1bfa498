import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// Forwards everything between a test publisher and the subscriber under test, and draws it.
final class RecordingSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // State that several threads reach is guarded by locks; the closure is set before anything happens.

    private let downstream: AnySubscriber<Input, Failure>
    private let builder = Guarded(TimeLineBuilder(column: nil, rows: Set(TimeLine.Row.allCases)))
    private let count = Guarded(0)

    /// Called when the subscriber has received a value, inside its delivery.
    var onValue: () -> Void = {}

    init(_ subscriber: some Subscriber<Input, Failure>) {
        downstream = AnySubscriber(subscriber)
    }

    /// The number of values delivered.
    var valueCount: Int { count.withLock { $0 } }

    /// The events so far.
    var timeLine: TimeLine { builder.withLock { $0.line } }

    fileprivate func note(_ event: StreamEvent<Input, Failure>) {
        builder.withLock { if $0.line.length < 400 { $0.note(event, at: .zero) } }
    }

    func receive(subscription: any Subscription) {
        note(.subscription(""))
        downstream.receive(subscription: RecordedSubscription(subscription, recorder: self))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        note(.value(input))
        count.withLock { $0 += 1 }
        let answer = downstream.receive(input)
        onValue()
        note(.answer(answer))
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        note(.completion(completion))
        downstream.receive(completion: completion)
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

    func request(_ demand: Subscribers.Demand) {
        recorder.note(.request(demand))
        subscription.request(demand)
    }

    func cancel() {
        subscription.cancel()
        // Drawn after what a probe delivers meanwhile.
        recorder.note(.cancel)
    }
}
