import HeadgateCore

/// How a succession runs through a list of publishers, each continuing after the previous one has finished.
///
/// Nested lists are flattened: the subscriber to an inner list identifies its place in the outer list, and the inner
/// list puts its publishers there. So however deeply `append` and `prepend` are nested, one conduit serves them all in
/// one loop. An operator in between subscribes with a subscriber of its own, which has no place in the list, whatever
/// identity it claims.
extension SuccessionConduit {
    /// Attaches a subscriber to two publishers, one after the other.
    @inlinable package static func connect(
        _ prefix: some Publisher<Output, Failure>, then suffix: some Publisher<Output, Failure>,
        to subscriber: some Subscriber<Output, Failure>
    ) {
        list(for: subscriber, endingWith: suffix).proceed(to: attach(prefix))
    }

    /// The list in which a publisher is next: that of the subscriber's place, or a new one.
    // Not inlined: subscribing nests as deeply as the pipeline.
    @inlinable @inline(never) static func list(
        for subscriber: some Subscriber<Output, Failure>, endingWith publisher: some Publisher<Output, Failure>
    ) -> SuccessionConduit {
        let list = subscriber._listPlace as? SuccessionConduit
        let conduit =
            if let list, list.yieldTurn() {
                list
            } else {
                SuccessionConduit(name: "Concatenate", isList: true, to: subscriber)
            }
        conduit.remaining.append(attach(publisher))
        return conduit
    }

    /// Yields the place whose turn it is to the publishers of another list, unless it is in use.
    @inlinable func yieldTurn() -> Bool { gate.account.withLock { $0.upstream == nil } && endTurn(turn) }

    @inlinable package static func attach(_ publisher: some Publisher<Output, Failure>) -> Attach {
        { conduit, turn in
            publisher.receive(
                subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                    if case .finished = completion, conduit.goOn() { return }
                    conduit.end(completion)
                })
        }
    }

    /// Continues with the next publisher of the list.
    ///
    /// - Returns: Whether there was one.
    @inlinable @discardableResult package func goOn() -> Bool {
        guard let next = remaining.popLast() else { return false }
        proceed(to: next)
        return true
    }
}
