import HeadgateCore

/// Brings one branch: all values of upstream, with the first of them as its label.
@usableFromInline package final class HeadConduit<Value, Failure: Error>: BranchConduit<Value, Value, Failure> {
    /// The branch, as long as there may be values for it.
    ///
    /// Belongs to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var branch: Member?

    @inlinable package init(name: StaticString, _ downstream: AnySubscriber<Member, Failure>) {
        super.init(name: name, limit: 1, holdsUnread: true, onDrop: nil, downstream)
    }

    /// Connects a subscriber to the branch of a publisher.
    ///
    /// Whoever cancels the subscription cuts the publisher off at once, also from inside a delivery.
    @inlinable package static func connect(
        _ publisher: some Publisher<Value, Failure>, name: StaticString,
        to subscriber: some Subscriber<Member, Failure>
    ) {
        let cut = HeadCut()
        var observer = StreamObserver<Member, Failure>()
        observer.cancel = { cut.gate?.cancel() }
        let outer = ObservingConduit(name: name, observer, subscriber)
        let head = HeadConduit(name: name, AnySubscriber(outer))
        let source = NamingConduit(name: name, HeadInlet(head))
        cut.gate = source.gate
        head.connect(outer) { publisher.receive(subscriber: source) }
    }

    /// Puts a value in the branch.
    ///
    /// - Returns: What to request from upstream.
    @inlinable @inline(__always) func take(_ value: Value) -> Subscribers.Demand {
        if isShut || upstream.hasEnded { return .none }
        if let branch { return put(value, in: branch) }
        return isAbandoned ? .none : begin(with: value)
    }

    @usableFromInline func begin(with value: Value) -> Subscribers.Demand {
        let branch = Member(self, value)
        self.branch = branch
        add(branch)
        return put(value, in: branch)
    }

    // An end after the first value belongs to the branch alone: what is made of that goes on until it ends itself.
    @usableFromInline func endHead(_ completion: Subscribers.Completion<Failure>) {
        guard let branch else { return end(completion) }
        if isShut || !upstream.end() { return }
        self.branch = nil
        ending = .finished
        close(branch, completion)
        finishIfDone()
    }

    // Nobody is there for the values any more.
    @usableFromInline package override func forget(_ branch: Member) {
        if isAbandoned { return }
        isAbandoned = true
        if readers == 0 { shut() }
    }

    @usableFromInline package override func forgetAll() -> [Member] { branch.take().map { [$0] } ?? [] }
}

/// What leads to upstream past the drain: who cancels inside a delivery does not wait for its end.
@usableFromInline package final class HeadCut {
    // Set once, before anybody is connected.
    @exclusivity(unchecked) @usableFromInline var gate: Gate?

    @inlinable init() {}
}

/// What subscribes to the upstream of a `HeadConduit`.
@usableFromInline package struct HeadInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let head: HeadConduit<Input, Failure>

    @inlinable init(_ head: HeadConduit<Input, Failure>) { self.head = head }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(head.upstream) }

    @inlinable package var conduit: DrainingConduit { head }

    @inlinable package var upstream: ConduitSubscription? { head.upstream.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        let isWanted = head.phase != .over && !head.isAbandoned
        guard head.upstream.connect(to: subscription, isWanted: isWanted) else { return .none }
        if head.outstanding.current > .none { head.serve() }
        return .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { head.take(input) }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { head.endHead(completion) }
}
