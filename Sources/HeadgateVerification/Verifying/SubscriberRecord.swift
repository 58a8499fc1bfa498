import HeadgateCore
import HeadgateTesting

/// What passes between a test publisher and the subscriber under test, drawn.
final class SubscriberRecord<Input, Failure: Error>: @unchecked Sendable {
    // State that several threads reach is guarded by the lock; the closure is set before anything happens.

    private struct State {
        var drawing = TimeLineBuilder(column: nil, rows: Set(TimeLine.Row.allCases))
        var valueCount = 0
    }

    private let state = Guarded(State())

    /// Called when the subscriber has received a value, inside its delivery.
    var onValue: () -> Void = {}

    /// The number of values delivered.
    var valueCount: Int { state.withLock { $0.valueCount } }

    /// The events so far.
    var timeLine: TimeLine { state.withLock { $0.drawing.line } }

    /// Forwards everything to a subscriber, and records it.
    func recording(_ subscriber: some Subscriber<Input, Failure>) -> ReportingSubscriber<Input, Failure> {
        ReportingSubscriber(AnySubscriber(subscriber), keepsEverything: true) { event in
            // Drawn when it has returned: after what a probe delivers meanwhile.
            if case .cancel = event { return }
            if case .answer = event { self.onValue() }
            self.note(event)
        } onCancelReturned: {
            self.note(.cancel)
        }
    }

    private func note(_ event: StreamEvent<Input, Failure>) {
        state.withLock { state in
            if case .value = event { state.valueCount += 1 }
            if state.drawing.line.length < 400 { state.drawing.note(event, at: .zero) }
        }
    }
}
