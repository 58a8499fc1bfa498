import Dispatch
import HeadgateCore

/// Follows the events on one edge of a pipeline and reports breaches of the contract.
///
/// It sees the calls of a publisher on one subscriber: rules 1.1 to 1.4, 3.1, 4.1, 4.3 and 4.4. It only decides and has
/// no effects, so recorders, ledgers, `validated()` and the verifier are all built on it.
package struct ContractMonitor {
    package init() {}

    private enum Phase {
        case open
        /// `cancel()` is under way; other threads may not have seen it yet.
        case cancelling(by: ThreadIdentity)
        case cancelled(by: ThreadIdentity, at: DispatchTime, mayReceiveOneMore: Bool)
        case ended
    }

    private var phase = Phase.open

    /// The thread whose delivery is under way.
    private var deliverer: ThreadIdentity?

    /// Whether a value is being delivered.
    package var isDelivering: Bool { deliverer != nil }

    /// How many milliseconds after `cancel()` had returned on another thread the first event arrived.
    package private(set) var delayAfterCancel: UInt64?

    /// The outstanding demand.
    package private(set) var outstanding = Subscribers.Demand.none

    /// Whether a subscription has been received.
    package private(set) var isSubscribed = false

    /// Whether a completion has been received.
    package var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Whether the subscriber has cancelled.
    package var isCancelled: Bool {
        switch phase {
        case .open, .ended: false
        case .cancelling, .cancelled: true
        }
    }

    /// Records an event: a cancellation before it is made, and ``noteCancelReturned()`` after it.
    ///
    /// - Returns: The rules that it breaks.
    package mutating func note<Value, Failure: Error>(_ event: StreamEvent<Value, Failure>) -> [Breach] {
        switch event {
        case .subscription:
            if isSubscribed { return [Breach(.oneSubscription, "a second subscription")] }
            isSubscribed = true
            return []
        case .request(let demand):
            outstanding += demand
            return []
        case .value:
            return noteDelivery(isValue: true)
        case .answer(let demand):
            outstanding += demand
            deliverer = nil
            return []
        case .completion:
            return noteDelivery(isValue: false)
        case .cancel:
            if case .open = phase { phase = .cancelling(by: .current) }
            return []
        }
    }

    /// Records a value or a completion.
    private mutating func noteDelivery(isValue: Bool) -> [Breach] {
        let thread = ThreadIdentity.current
        let what = isValue ? "a value" : "a completion"
        var breaches: [Breach] = []
        if !isSubscribed { breaches.append(Breach(.oneSubscription, "\(what) before the subscription")) }
        if hasEnded {
            breaches.append(
                isValue
                    ? Breach(.silenceAfterTheEnd, "a value after the completion")
                    : Breach(.oneCompletion, "a second completion"))
        }
        breaches += noteLateness(of: what, on: thread)
        if let deliverer {
            breaches.append(
                deliverer == thread
                    ? Breach(.noNestedValues, "\(what) inside the delivery of \(isValue ? "another" : "a value")")
                    : Breach(.oneCallAtATime, "\(what) while another thread delivers \(isValue ? "one" : "a value")"))
        }
        if isValue {
            if breaches.isEmpty, outstanding == .none {
                breaches.append(Breach(.valuesAgainstDemand, "a value without demand"))
            }
            outstanding -= 1
            deliverer = thread
        } else if !isCancelled {
            phase = .ended
        }
        return breaches
    }

    /// Records a delivery that may come after `cancel()`.
    private mutating func noteLateness(of what: String, on thread: ThreadIdentity) -> [Breach] {
        switch phase {
        case .open, .ended:
            return []
        case .cancelling(let canceller):
            return canceller == thread ? [Breach(.cancelStopsDelivery, "\(what) in answer to cancel()")] : []
        case .cancelled(let canceller, let time, let mayReceiveOneMore):
            if canceller == thread { return [Breach(.cancelStopsDelivery, "\(what) after cancel() has returned")] }
            let delay = (DispatchTime.now().uptimeNanoseconds - time.uptimeNanoseconds) / 1_000_000
            delayAfterCancel = delayAfterCancel ?? delay
            if mayReceiveOneMore {
                // It may have been under way when the other thread cancelled.
                phase = .cancelled(by: canceller, at: time, mayReceiveOneMore: false)
                return []
            }
            return [Breach(.cancelElsewhere, "\(what) \(delay) ms after cancel() on another thread had returned")]
        }
    }

    /// Records that `cancel()` has returned.
    package mutating func noteCancelReturned() {
        guard case .cancelling(let canceller) = phase, canceller == .current else { return }
        // A delivery that is under way is the call in progress.
        phase = .cancelled(by: canceller, at: .now(), mayReceiveOneMore: deliverer == nil)
    }

    /// Records that no call is in progress, so that none may be left over after `cancel()`.
    package mutating func expectNothingInProgress() {
        guard case .cancelled(let canceller, let time, _) = phase else { return }
        phase = .cancelled(by: canceller, at: time, mayReceiveOneMore: false)
    }
}
