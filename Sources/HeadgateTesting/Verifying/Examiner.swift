import Headgate
import HeadgateEngine
import HeadgateCore

/// What one run of a script showed.
struct Outcome: Sendable {
    var breaches: [Breach] = []
    var timeLine = TimeLine()
    var values: [String] = []

    /// How the stream ended, as text.
    var ending: String?

    /// What brought the end: the stream itself, time within the script, or time behind it.
    enum End { case byItself, byTime, byTimeAtLast }

    var end = End.byItself

    /// What was asked for on hearing the subscription.
    var initialDemand = Subscribers.Demand.none

    var requested = Subscribers.Demand.none
    var isCancelled = false
    var wasCancelledInside = false

    /// Whether the stream ended before its upstream did.
    var hasEndedEarly = false

    /// Where on the stack each value was received, and on which thread.
    var stackPositions: [(thread: ThreadIdentity, position: UInt)] = []

    /// Whether nothing can follow.
    var isOver: Bool { isCancelled || ending != nil }

    /// Whether everything was asked for before anything could come.
    var isFree: Bool { initialDemand == .unlimited }
}

/// The subscriber with which the verifier looks at a publisher.
final class Examiner<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // All state is behind the lock, and foreign code is called outside it.

    private struct State {
        var monitor = ContractMonitor()
        var outcome = Outcome()
        var subscription: (any Subscription)?
        var reactions: [Reaction] = []
        var nextReaction = 0
        var column = 0
        var isDelivering = false
        var hooks = Hooks()
    }

    /// What else to do, where publishers may call from threads of their own until all is over.
    private struct Hooks {
        var onSubscription: ((Examiner) -> Void)?
        var onValue: ((Examiner, Int) -> Void)?
        var onCompletion: (() -> Void)?
    }

    private let state = Guarded(State())

    /// How many values to hear before cancelling, so that an endless publisher comes to an end.
    private let limit: Int

    /// What else to do on hearing the subscription, before anything is asked for.
    var onSubscription: ((Examiner) -> Void)? {
        get { hooks.onSubscription }
        set { change { $0.onSubscription = newValue } }
    }

    /// What else to do inside a delivery, given the number of values before it.
    var onValue: ((Examiner, Int) -> Void)? {
        get { hooks.onValue }
        set { change { $0.onValue = newValue } }
    }

    /// What else to do on hearing the end.
    var onCompletion: (() -> Void)? {
        get { hooks.onCompletion }
        set { change { $0.onCompletion = newValue } }
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
    var outstanding: Subscribers.Demand { state.withLock { $0.monitor.outstanding } }
    var isDelivering: Bool { state.withLock { $0.isDelivering } }
    var isSubscribed: Bool { state.withLock { $0.monitor.isSubscribed } }

    /// Hands the subscription over, without cancelling.
    func takeSubscription() -> (any Subscription)? { state.withLock { $0.subscription.take() } }

    func arrange(_ reaction: Reaction) { state.withLock { $0.reactions.append(reaction) } }

    func add(_ breach: Breach) { state.withLock { $0.outcome.breaches.append(breach) } }

    /// Notes that the stream ended when the script let time pass, where that may be.
    func noteEndByTime() { state.withLock { $0.outcome.end = .byTime } }

    func request(_ demand: Subscribers.Demand) {
        note(.request(demand), sign: .request(demand), row: .demand) { $0.outcome.requested += demand }
        subscription?.request(demand)
    }

    func cancel() {
        note(.cancel, sign: .cancel, row: .demand) { state in
            if state.outcome.ending != nil { return }
            state.outcome.isCancelled = true
            if state.isDelivering { state.outcome.wasCancelledInside = true }
        }
        subscription?.cancel()
        state.withLock { $0.monitor.noteCancelReturned() }
    }

    /// Cancels what is still open, and lets go of everything, so that nothing is left behind that a subject may keep.
    func leave() {
        if !outcome.isOver { subscription?.cancel() }
        _ = takeSubscription()
        change { $0 = Hooks() }
    }

    private var hooks: Hooks { state.withLock { $0.hooks } }

    /// Changes what else to do; what was there before is released outside the lock.
    private func change(_ body: (inout Hooks) -> Void) {
        let old = state.withLock { state in
            defer { body(&state.hooks) }
            return state.hooks
        }
        withExtendedLifetime(old) {}
    }

    func receive(subscription: any Subscription) {
        note(.subscription(""), sign: nil, row: .subscription) { $0.subscription = $0.subscription ?? subscription }
        onSubscription?(self)
        if initialDemand > .none { request(initialDemand) }
        // Whoever hands out the empty subscription says that there is nothing to cancel.
        if cancelsAtOnce, subscription.combineIdentifier != Subscriptions.empty.combineIdentifier { cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        var marker: UInt8 = 0
        let position = withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
        let text = wording(of: input)
        var reaction = Reaction.nothing
        var index = 0
        note(.value(input), sign: .value(text), row: .values) { state in
            index = state.outcome.values.count
            state.outcome.values.append(text)
            state.outcome.stackPositions.append((.current, position))
            state.isDelivering = true
            if state.nextReaction < state.reactions.count {
                reaction = state.reactions[state.nextReaction]
                state.nextReaction += 1
            }
        }
        if index == limit { cancel() }
        onValue?(self, index)
        let answer = reaction.carryOut(
            patience: Effort.normal.patience, request: request, cancel: cancel, report: add)
        note(.answer(answer), sign: answer == .none ? nil : .request(answer), row: .demand) {
            $0.outcome.requested += answer
            $0.isDelivering = false
        }
        return answer
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let ending: String
        let sign: TimeLine.Sign
        switch completion {
        case .finished: (ending, sign) = ("finished", .finish)
        case .failure(let error): (ending, sign) = ("\(error)", .failure)
        }
        note(.completion(completion), sign: sign, row: .values) { $0.outcome.ending = $0.outcome.ending ?? ending }
        onCompletion?()
    }

    private func note(
        _ event: StreamEvent<Input, Failure>, sign: TimeLine.Sign?, row: TimeLine.Row, _ body: (inout State) -> Void
    ) {
        state.withLock { state in
            state.outcome.breaches += state.monitor.note(event)
            // What is done inside a delivery stands below the value.
            if let sign {
                if !(state.isDelivering && row == .demand) { state.column += 2 }
                if state.outcome.timeLine.length < 400 {
                    state.outcome.timeLine.append(sign, to: row, at: state.column - 2)
                }
            }
            body(&state)
        }
    }
}
