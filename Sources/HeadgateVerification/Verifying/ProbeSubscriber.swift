import HeadgateCore
import HeadgateTesting

/// The result of one run of a script.
struct Outcome: Sendable {
    var breaches: [Breach] = []
    var drawing = TimeLineBuilder(column: nil, rows: [.values, .demand])
    var values: [String] = []

    /// The completion as text.
    var ending: String?

    /// What upstream could send, turn by turn, if a probe wants to repeat it.
    var sent: [[ScriptAction]] = []

    /// The cause of the completion: the stream itself, time within the script, or time after it.
    enum End { case byItself, byTime, byTimeAtLast }

    var end = End.byItself

    /// The demand requested on receiving the subscription.
    var initialDemand = Subscribers.Demand.none

    var requested = Subscribers.Demand.none
    var isCancelled = false
    var wasCancelledInside = false

    /// Whether the stream ended before its upstream did.
    var hasEndedEarly = false

    /// The stack position and thread at which each value was received.
    var stackPositions: [(thread: ThreadIdentity, position: UInt)] = []

    var timeLine: TimeLine { drawing.line }

    /// Whether nothing can follow.
    var isOver: Bool { isCancelled || ending != nil }

    /// Whether everything was requested before any value could arrive.
    var isFree: Bool { initialDemand == .unlimited }
}

/// The probe subscriber of the verifier.
final class ProbeSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // All state is guarded by the lock, and foreign code is called outside it.

    private struct State {
        var monitor = ContractMonitor()
        var outcome = Outcome()
        var subscription: (any Subscription)?
        var reactions: [Reaction] = []
        var nextReaction = 0
        var onCall: ((ProbeSubscriber, Call) -> Void)?
    }

    /// A call of the subscriber.
    enum Call: Equatable {
        case subscription

        /// A value, counted from zero.
        case value(Int)
        case completion
    }

    private let state = Guarded(State())

    /// The number of values after which to cancel, so that an endless publisher stops.
    private let limit: Int

    /// Called inside each call, before any request.
    ///
    /// It is guarded because publishers may call from threads of their own until the end.
    var onCall: ((ProbeSubscriber, Call) -> Void)? {
        get { state.withLock { $0.onCall } }
        // The old one is released outside the lock.
        set { _ = state.withLock { exchange(&$0.onCall, with: newValue) } }
    }

    private let initialDemand: Subscribers.Demand
    private let cancelsAtOnce: Bool

    init(limit: Int = 2000, initialDemand: Subscribers.Demand = .none, cancelsAtOnce: Bool = false) {
        self.limit = limit
        self.initialDemand = initialDemand
        self.cancelsAtOnce = cancelsAtOnce
        state.withLock { $0.outcome.initialDemand = initialDemand }
    }

    var outcome: Outcome { state.withLock { $0.outcome } }
    var subscription: (any Subscription)? { state.withLock { $0.subscription } }

    /// What has happened, and the outstanding demand at that time: `nil` inside a delivery, whose answer may add to it.
    var snapshot: (outcome: Outcome, outstanding: Subscribers.Demand?) {
        state.withLock { ($0.outcome, $0.monitor.isDelivering ? nil : $0.monitor.outstanding) }
    }

    var monitor: ContractMonitor { state.withLock { $0.monitor } }

    /// Removes and returns the subscription without cancelling it.
    func takeSubscription() -> (any Subscription)? { state.withLock { $0.subscription.take() } }

    func arrange(_ reaction: Reaction) { state.withLock { $0.reactions.append(reaction) } }

    func add(_ breach: Breach) { state.withLock { $0.outcome.breaches.append(breach) } }

    /// Records that the stream completed when the script let time pass.
    func noteEndByTime() { state.withLock { $0.outcome.end = .byTime } }

    func request(_ demand: Subscribers.Demand) {
        note(.request(demand)) { $0.outcome.requested += demand }
        subscription?.request(demand)
    }

    func cancel() {
        note(.cancel) { state in
            if state.outcome.ending != nil { return }
            state.outcome.isCancelled = true
            if state.monitor.isDelivering { state.outcome.wasCancelledInside = true }
        }
        subscription?.cancel()
        state.withLock { $0.monitor.noteCancelReturned() }
    }

    /// Reports whatever arrives from now on if the subscriber has cancelled: no call can be in progress.
    func expectNothingInProgress() { state.withLock { $0.monitor.expectNothingInProgress() } }

    /// Cancels an open stream and releases everything, so that a subject retains nothing of this run.
    func leave() {
        if !outcome.isOver { subscription?.cancel() }
        _ = takeSubscription()
        onCall = nil
    }

    func receive(subscription: any Subscription) {
        note(.subscription("")) { $0.subscription = $0.subscription ?? subscription }
        onCall?(self, .subscription)
        if initialDemand > .none { request(initialDemand) }
        // The empty subscription means that there is nothing to cancel.
        if cancelsAtOnce, subscription.combineIdentifier != Subscriptions.empty.combineIdentifier { cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        var marker: UInt8 = 0
        let position = withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
        let text = wording(of: input)
        var reaction = Reaction.nothing
        var index = 0
        note(.value(text)) { state in
            index = state.outcome.values.count
            state.outcome.values.append(text)
            state.outcome.stackPositions.append((.current, position))
            if state.nextReaction < state.reactions.count {
                reaction = state.reactions[state.nextReaction]
                state.nextReaction += 1
            }
        }
        if index == limit { cancel() }
        onCall?(self, .value(index))
        let answer = reaction.carryOut(
            timeout: Effort.normal.timeout, request: request, cancel: cancel, report: add)
        note(.answer(answer)) { $0.outcome.requested += answer }
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let ending = wording(of: completion)
        note(.completion(completion)) { $0.outcome.ending = $0.outcome.ending ?? ending }
        onCall?(self, .completion)
    }

    private func note(_ event: StreamEvent<String, Failure>, _ body: (inout State) -> Void) {
        state.withLock { state in
            state.outcome.breaches += state.monitor.note(event)
            if state.outcome.timeLine.length < 400 { state.outcome.drawing.note(event, at: .zero) }
            body(&state)
        }
    }
}
