import HeadgateCore
import Synchronization

/// Serves one subscriber from several publishers, one after the other, and requests the subscriber's outstanding demand
/// from each.
///
/// Only one upstream is active at a time, so values pass straight through and are merely counted. Switching to the next
/// upstream goes through a `Drain`: a succession of publishers that complete immediately is a loop and not a recursion.
@usableFromInline package final class SuccessionConduit<Output, Failure: Error> {
    /// Attaches the conduit to its next upstream, by a `SuccessionSubscriber` for the given turn.
    @usableFromInline package typealias Attach = (SuccessionConduit, Int) -> Void

    /// The subscriber's subscription.
    ///
    /// It doesn't retain the conduit, so a subscriber that keeps it forever retains nothing else.
    @usableFromInline package let gate: SuccessionGate

    @usableFromInline package let drain = Drain()

    /// Whether this is a list of publishers, into which nested lists are flattened.
    // Here, where there is a gap.
    @usableFromInline package let isList: Bool

    /// That of the stage of a flow for which the subscriber was attached, and for which each publisher is.
    @usableFromInline let queues = QueueRegistry.current

    // Confined to the upstream whose turn it is, and between turns to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// Sends the subscriber its subscription, when the first upstream has sent its own.
    @exclusivity(unchecked) @usableFromInline package var introduce: ((any Subscription) -> HiddenSubscriber?)?

    @exclusivity(unchecked) @usableFromInline package var turn = 0

    /// How many values have been delivered in the current turn.
    @exclusivity(unchecked) @usableFromInline package var served = 0

    /// The demand that has been returned for values in the current turn.
    @exclusivity(unchecked) @usableFromInline package var returned = Subscribers.Demand.none

    /// What the owner continues with when the current upstream has returned.
    @exclusivity(unchecked) @usableFromInline package var next: Attach?

    /// The remaining publishers, the next one last.
    @exclusivity(unchecked) @usableFromInline package var remaining = ContiguousArray<Attach>()

    @inlinable package init(
        name: StaticString, isList: Bool = false, to downstream: some Subscriber<Output, Failure>
    ) {
        gate = SuccessionGate(name: name)
        self.isList = isList
        let erased = AnySubscriber(downstream)
        self.downstream = Downstream(erased)
        introduce = erased.onSubscription
    }

    /// Continues with the next upstream, now or when the current one has returned.
    // Subscribing nests as deeply as the pipeline, so this takes little stack.
    @inlinable @inline(never) package func proceed(to attach: @escaping Attach) {
        if drain.isOwnedByCaller, next == nil { return next = attach }
        guard drain.enter() || drain.waitToChange() else { return postpone(attach) }
        begin(attach)
        if next != nil { beginNext() }
        drain.leave()
    }

    @inlinable @inline(never) func postpone(_ attach: @escaping Attach) {
        drain.postpone {
            self.begin(attach)
            self.beginNext()
        }
    }

    // Not part of `proceed`, which is on the stack while an upstream is attached: the closure would be, too.
    @inlinable @inline(never) func beginNext() {
        while let attach = next.take() { begin(attach) }
    }

    // Subscribing nests as deeply as the pipeline: without a stage, nothing more is on the stack than the call itself.
    @inlinable @inline(__always) func begin(_ attach: @escaping Attach) {
        guard let turn = nextTurn() else { return }
        if queues == nil { attach(self, turn) } else { beginForStage(attach, turn) }
    }

    @inlinable @inline(never) func beginForStage(_ attach: @escaping Attach, _ turn: Int) {
        QueueRegistry.bind(queues) { attach(self, turn) }
    }

    /// Begins a turn, into which the demand is carried over that the previous one has not satisfied.
    ///
    /// - Returns: Its number; `nil` if the stream is over.
    @usableFromInline @inline(never) package func nextTurn() -> Int? {
        if gate.isClosed.load(ordering: .relaxed) { return nil }
        turn += 1
        gate.account.withLock { $0.requested = $0.requested + returned - served }
        served = 0
        returned = .none
        return turn
    }

    /// Receives the subscription of the upstream whose turn it is.
    @inlinable package func receive(_ subscription: any Subscription, turn: Int) {
        if turn != self.turn { return subscription.cancel() }
        if queues != nil { return openForStage(to: subscription) }
        open(to: subscription)
        introduceIfNeeded()
    }

    @inlinable @inline(never) func open(to subscription: any Subscription) {
        gate.open(to: ConduitSubscription.holding(subscription))
    }

    @inlinable @inline(never) func openForStage(to subscription: any Subscription) {
        QueueRegistry.apart {
            open(to: subscription)
            introduceIfNeeded()
        }
    }

    /// Sends the subscriber its subscription with the first turn.
    ///
    /// In later turns it only reads: demand has been requested by then, and values may be arriving on other threads.
    @inlinable package func introduceIfNeeded() {
        if introduce != nil { _ = introduce.take()?(gate) }
    }

    @inlinable @inline(__always) package func receive(_ value: Output, turn: Int) -> Subscribers.Demand {
        if turn != self.turn || introduce != nil || gate.isClosed.load(ordering: .relaxed) { return .none }
        served += 1
        // Retained for the call: upstream may complete inside it, and the subscriber is then released.
        guard let receiveValue = downstream.receiveValue else { return .none }
        let more = receiveValue(value)
        if more != .none { returned += more }
        return more
    }

    /// Delivers the only value of a publisher, which needs no subscription, in its turn.
    @inlinable package func deliver(only value: Output, turn: Int) {
        if queues == nil {
            _ = receive(value, turn: turn)
        } else {
            QueueRegistry.apart { _ = receive(value, turn: turn) }
        }
    }

    /// Called when an upstream has completed.
    ///
    /// - Returns: Whether it was its turn.
    @inlinable @inline(never) package func endTurn(_ turn: Int) -> Bool {
        if turn != self.turn || gate.isClosed.load(ordering: .relaxed) { return false }
        // From here on, everything that this upstream sends is ignored.
        self.turn += 1
        let upstream = gate.account.withLock { $0.upstream.take() }
        return withExtendedLifetime(upstream) { true }
    }

    /// Completes the stream.
    @inlinable @inline(never) package func end(_ completion: Subscribers.Completion<Failure>) {
        // A publisher that completes without a subscription breaks a rule; the subscriber receives its own
        // nevertheless.
        introduceIfNeeded()
        if gate.isClosed.load(ordering: .relaxed) { return }
        _ = gate.close()
        downstream.release()?(completion)
    }
}

extension SuccessionConduit {
    /// Continues with a publisher.
    ///
    /// - Parameter onCompletion: What its completion means.
    @inlinable package func proceed<Next: Publisher>(
        to publisher: Next,
        onCompletion: @escaping (SuccessionConduit, Subscribers.Completion<Next.Failure>) -> Void
    ) where Next.Output == Output {
        proceed { publisher.receive(subscriber: SuccessionSubscriber($0, turn: $1, onCompletion: onCompletion)) }
    }

    /// Continues with a publisher that is created when its turn comes, and with whose completion the stream completes.
    @inlinable package func proceed(toLast publisher: @autoclosure @escaping () -> some Publisher<Output, Failure>) {
        proceed { publisher().receive(subscriber: SuccessionSubscriber($0, turn: $1) { $0.end($1) }) }
    }
}

/// The subscriber to a publisher in a succession.
@usableFromInline package struct SuccessionSubscriber<Input, Failure: Error, OutputFailure: Error>: Subscriber {
    @usableFromInline package let conduit: SuccessionConduit<Input, OutputFailure>

    @usableFromInline package let turn: Int

    /// What the completion of this publisher means.
    @usableFromInline package let onCompletion:
        (SuccessionConduit<Input, OutputFailure>, Subscribers.Completion<Failure>) -> Void

    @inlinable package init(
        _ conduit: SuccessionConduit<Input, OutputFailure>, turn: Int,
        onCompletion:
            @escaping (SuccessionConduit<Input, OutputFailure>, Subscribers.Completion<Failure>) -> Void
    ) {
        self.conduit = conduit
        self.turn = turn
        self.onCompletion = onCompletion
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(conduit) }

    /// The list, until its next turn.
    @inlinable package var _listPlace: AnyObject? { conduit.isList && conduit.turn == turn ? conduit : nil }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.receive(subscription, turn: turn)
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand { conduit.receive(input, turn: turn) }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !conduit.endTurn(turn) { return Undeliverable.note(completion) }
        onCompletion(conduit, completion)
    }
}
