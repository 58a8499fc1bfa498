import HeadgateCore
import Synchronization

/// Serves one subscriber from several publishers, one after the other, and asks each for what the subscriber has asked
/// for and not been given yet.
///
/// Only one upstream is going at a time, so values pass straight through and are merely counted. Going on to the next
/// upstream goes through a `SerialDrain`: a succession of publishers that end at once is a loop and not a recursion.
@usableFromInline
final class SuccessionConduit<Output, Failure: Error>: ConduitSubscription {
    /// Connects the conduit to its next upstream, by a `SuccessionSubscriber` for the turn that is given.
    @usableFromInline
    typealias Attach = (SuccessionConduit, Int) -> Void

    @usableFromInline
    struct Account {
        @usableFromInline
        var upstream: (any Subscription)?

        /// What was asked for, from the beginning of the present turn on, except by answering values.
        @usableFromInline
        var requested = Subscribers.Demand.none

        @usableFromInline
        var isClosed = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let account = Guarded(Account())

    // A copy of `account.isClosed`, for the path of a value.
    @usableFromInline
    let isClosed = Atomic(false)

    @usableFromInline
    let drain = SerialDrain<Attach>()

    @usableFromInline
    let name: StaticString

    // The members below are used by the upstream whose turn it is, and between two turns by the owner of the drain;
    // hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var downstream: Downstream<Output, Failure>

    @exclusivity(unchecked)
    @usableFromInline
    var turn = 0

    /// How many values were delivered in the present turn.
    @exclusivity(unchecked)
    @usableFromInline
    var served = 0

    /// What was asked for in the present turn by answering values.
    @exclusivity(unchecked)
    @usableFromInline
    var returned = Subscribers.Demand.none

    /// The publishers that follow, the next one last.
    @exclusivity(unchecked)
    @usableFromInline
    var following: ContiguousArray<Attach> = []

    /// Whether this is a list of publishers, which takes in a list that stands in it.
    @usableFromInline
    let isList: Bool

    /// Who the subscriber is, while it may be a conduit that can take over what this one would do.
    @exclusivity(unchecked)
    @usableFromInline
    var announcedTo: CombineIdentifier?

    @inlinable
    init<S: Subscriber>(
        name: StaticString, isList: Bool = false, to downstream: S
    ) where S.Input == Output, S.Failure == Failure {
        self.name = name
        self.isList = isList
        self.downstream = Downstream(AnySubscriber(downstream))
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SuccessionConduit.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel: conduit.close()?.cancel()
            }
        }
    }

    @inlinable
    func handleRequest(_ demand: Subscribers.Demand) {
        let upstream = account.withLock {
            $0.requested += demand
            return $0.upstream
        }
        upstream?.request(demand)
    }

    /// Goes on to the next upstream, now or when the present one has returned.
    @inlinable
    func proceed(to attach: @escaping Attach) {
        drain.run(attach) { begin($0) }
    }

    /// Begins a turn, into which is carried over what the last one has not served.
    @inlinable
    func begin(_ attach: Attach) {
        if isClosed.load(ordering: .relaxed) { return }
        turn += 1
        account.withLock { $0.requested = $0.requested + returned - served }
        served = 0
        returned = .none
        attach(self, turn)
    }

    /// Takes in the subscription of the upstream whose turn it is.
    @inlinable
    func receive(_ subscription: any Subscription, turn: Int) {
        let isDue = turn == self.turn
        let demand: Subscribers.Demand? = account.withLock {
            if !isDue || $0.isClosed || $0.upstream != nil { return nil }
            $0.upstream = subscription
            return $0.requested
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    @inlinable
    @inline(__always)
    func receive(_ value: Output, turn: Int) -> Subscribers.Demand {
        if turn != self.turn || isClosed.load(ordering: .relaxed) { return .none }
        served += 1
        let more = downstream.receive(value)
        if more != .none { returned += more }
        return more
    }

    /// Hears that an upstream has ended.
    ///
    /// - Returns: Whether it was its turn.
    @inlinable
    func endTurn(_ turn: Int) -> Bool {
        if turn != self.turn || isClosed.load(ordering: .relaxed) { return false }
        // From here on, nothing that this upstream says is heard.
        self.turn += 1
        let upstream = account.withLock { $0.upstream.take() }
        return withExtendedLifetime(upstream) { true }
    }

    /// Ends the stream.
    @inlinable
    func end(_ completion: Subscribers.Completion<Failure>) {
        if isClosed.load(ordering: .relaxed) { return }
        _ = close()
        downstream.release()?(completion)
    }

    /// Closes the account for ever.
    ///
    /// - Returns: The upstream whose turn it was.
    @inlinable
    func close() -> (any Subscription)? {
        isClosed.store(true, ordering: .relaxed)
        return account.withLock {
            $0.isClosed = true
            return $0.upstream.take()
        }
    }

    @usableFromInline
    override var description: String { name.description }
}

/// What subscribes to a publisher in a succession.
@usableFromInline
struct SuccessionSubscriber<Input, Failure: Error, OutputFailure: Error>: Subscriber {
    @usableFromInline
    let conduit: SuccessionConduit<Input, OutputFailure>

    @usableFromInline
    let turn: Int

    /// What the end of this publisher means.
    @usableFromInline
    let onCompletion: (SuccessionConduit<Input, OutputFailure>, Subscribers.Completion<Failure>) -> Void

    @inlinable
    init(
        _ conduit: SuccessionConduit<Input, OutputFailure>, turn: Int,
        onCompletion:
            @escaping (SuccessionConduit<Input, OutputFailure>, Subscribers.Completion<Failure>) -> Void
    ) {
        self.conduit = conduit
        self.turn = turn
        self.onCompletion = onCompletion
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        if !conduit.takeOver(subscription) { conduit.receive(subscription, turn: turn) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand { conduit.receive(input, turn: turn) }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.endTurn(turn) { onCompletion(conduit, completion) }
    }
}
