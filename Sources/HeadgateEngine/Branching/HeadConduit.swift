import HeadgateCore

/// Delivers one branch: all values of upstream, with the first of them as its label.
@usableFromInline
package final class HeadConduit<Value, Failure: Error>: BranchingConduit<Value, Value, Failure>, Branching {
    @usableFromInline package typealias Input = Value

    @usableFromInline package typealias Label = Value

    @usableFromInline package typealias Output = Branch<Value, Value, Failure>

    // Confined to the drain's owner.
    /// The branch, as long as it may receive values.
    @exclusivity(unchecked) @usableFromInline var branch: Member?

    @inlinable package init(name: StaticString, _ downstream: AnySubscriber<Member, Failure>) {
        super.init(
            name: name, limit: 1, holdsUnread: true, onDrop: nil, downstream, handle: HeadConduit.serving)
    }

    /// Attaches a subscriber to the branch of a publisher.
    @inlinable package static func connect(
        _ publisher: some Publisher<Value, Failure>, name: StaticString,
        to subscriber: some Subscriber<Member, Failure>
    ) {
        HeadConduit(name: name, AnySubscriber(subscriber)).connect(publisher, to: subscriber)
    }

    /// Puts a value in the branch.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func take(_ value: Value) -> Subscribers.Demand {
        // Upstream has ended when values have no destination any more.
        if upstream.hasEnded { return .none }
        if let branch { return put(value, in: branch) }
        return isAbandoned ? .none : begin(with: value)
    }

    @usableFromInline func begin(with value: Value) -> Subscribers.Demand {
        let branch = Member(self, value)
        self.branch = branch
        add(branch)
        return put(value, in: branch)
    }

    // A completion after the first value belongs to the branch alone: what is made of it continues until it completes.
    @inlinable package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isShut || !end(side) { return }
        guard let branch = branch.take() else { return endAll(completion) }
        ending = .finished
        close(branch, completion)
        finishIfDone()
    }

    // The values have no destination any more.
    @inlinable package func forget(_ branch: Member) {
        if isAbandoned { return }
        isAbandoned = true
        if readers == 0 { shut() }
    }

    @inlinable package func forgetAll() -> [Member] { branch.take().map { [$0] } ?? [] }
}
