import HeadgateCore
import Synchronization

/// Serves one subscriber from several publishers, one after the other, and asks each for what the subscriber has asked
/// for and not been given yet.
///
/// Only one upstream is going at a time, so values pass straight through and are merely counted. Going on to the next
/// upstream goes through a `Drain`: a succession of publishers that end at once is a loop and not a recursion.
@usableFromInline package final class SuccessionConduit<Output, Failure: Error> {
    /// Connects the conduit to its next upstream, by a `SuccessionSubscriber` for the turn that is given.
    @usableFromInline package typealias Attach = (SuccessionConduit, Int) -> Void

    /// What the subscriber has as its subscription.
    ///
    /// It does not lead back here, so that one who keeps it for ever keeps nothing else.
    @usableFromInline package let gate: SuccessionGate

    @usableFromInline package let drain = Drain()

    // The members below are used by the upstream whose turn it is, and between two turns by the owner of the drain;
    // hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// Hands the subscriber its subscription, when the first upstream has sent its own.
    @exclusivity(unchecked) @usableFromInline package var introduce: ((any Subscription) -> Void)?

    @exclusivity(unchecked) @usableFromInline package var turn = 0

    /// How many values were delivered in the present turn.
    @exclusivity(unchecked) @usableFromInline package var served = 0

    /// What was asked for in the present turn by answering values.
    @exclusivity(unchecked) @usableFromInline package var returned = Subscribers.Demand.none

    /// The publishers that follow, the next one last.
    @exclusivity(unchecked) @usableFromInline package var following: ContiguousArray<Attach> = []

    /// Whether this is a list of publishers, which takes in a list that stands in it.
    @usableFromInline package let isList: Bool

    @inlinable package init(
        name: StaticString, isList: Bool = false, to downstream: some Subscriber<Output, Failure>
    ) {
        gate = SuccessionGate(name: name)
        self.isList = isList
        let erased = AnySubscriber(downstream)
        self.downstream = Downstream(erased)
        introduce = { erased.receive(subscription: $0) }
    }

    /// Goes on to the next upstream, now or when the present one has returned.
    @inlinable package func proceed(to attach: @escaping Attach) {
        drain.run { self.begin(attach) }
    }

    /// Begins a turn, into which is carried over what the last one has not served.
    @inlinable package func begin(_ attach: Attach) {
        if gate.isClosed.load(ordering: .relaxed) { return }
        turn += 1
        gate.account.withLock { $0.requested = $0.requested + returned - served }
        served = 0
        returned = .none
        attach(self, turn)
    }

    /// Takes in the subscription of the upstream whose turn it is.
    @inlinable package func receive(_ subscription: any Subscription, turn: Int) {
        if turn != self.turn { return subscription.cancel() }
        gate.open(to: subscription.held)
        introduce.take()?(gate)
    }

    @inlinable @inline(__always) package func receive(_ value: Output, turn: Int) -> Subscribers.Demand {
        if turn != self.turn || introduce != nil || gate.isClosed.load(ordering: .relaxed) { return .none }
        served += 1
        let more = downstream.receive(value)
        if more != .none { returned += more }
        return more
    }

    /// Hears that an upstream has ended.
    ///
    /// - Returns: Whether it was its turn.
    @inlinable package func endTurn(_ turn: Int) -> Bool {
        if turn != self.turn || gate.isClosed.load(ordering: .relaxed) { return false }
        // From here on, nothing that this upstream says is heard.
        self.turn += 1
        let upstream = gate.account.withLock { $0.upstream.take() }
        return withExtendedLifetime(upstream) { true }
    }

    /// Ends the stream.
    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        // A publisher that ends without a subscription breaks a rule; the subscriber gets its own all the same.
        introduce.take()?(gate)
        if gate.isClosed.load(ordering: .relaxed) { return }
        _ = gate.close()
        downstream.release()?(completion)
    }
}

/// What subscribes to a publisher in a succession.
@usableFromInline package struct SuccessionSubscriber<Input, Failure: Error, OutputFailure: Error>: Subscriber {
    @usableFromInline package let conduit: SuccessionConduit<Input, OutputFailure>

    @usableFromInline package let turn: Int

    /// What the end of this publisher means.
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

    @inlinable package var _listPlace: AnyObject? { conduit.isList ? ListPlace(conduit, turn: turn) : nil }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.receive(subscription, turn: turn)
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand { conduit.receive(input, turn: turn) }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !conduit.endTurn(turn) { return Undeliverable.note(completion) }
        onCompletion(conduit, completion)
    }
}
