import HeadgateEngine

extension Publisher {
    /// Publishes each value, and recursively the values of the publisher that a closure makes from it.
    ///
    /// ```
    /// self    1|
    /// expand  1: 2, 3   2: 4
    ///         1---2--3--(4|)
    /// ```
    ///
    /// ```swift
    /// let children = ["/": ["/etc", "/usr"], "/usr": ["/usr/bin"], "/etc": ["/etc/hosts"]]
    /// let cancellable = Just("/")
    ///     .expand(.breadthFirst, limit: 100, whenFull: .skip) { (children[$0] ?? []).publisher }
    ///     .sink { print($0) }
    /// // /
    /// // /etc
    /// // /usr
    /// // /etc/hosts
    /// // /usr/bin
    /// ```
    ///
    /// One publisher is active at a time. Breadth first, it is the one for the value that has waited longest, after
    /// upstream: use it to keep values of the same depth together. Depth first, it is the one for the most recent
    /// value, before the next value of the publisher that this value came from: use it to save memory.
    ///
    /// - **Demand**: forwarded to the active publisher. Depth first, one value is requested at a time.
    /// - **Completion**: finishes when upstream and all publishers have finished; fails at once when one of them fails.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. Breadth first, a publisher is
    ///   made and subscribed to on the thread on which the one before it completes; depth first, on the thread that has
    ///   delivered its value.
    /// - **Complexity**: constant time per value. Breadth first, memory for up to `limit` values; depth first, for the
    ///   nested publishers, of which there are at most `limit`.
    ///
    /// - Parameters:
    ///   - order: Which publisher is subscribed to next.
    ///   - limit: Breadth first, how many values may wait for their publisher; depth first, how many publishers may be
    ///     nested. At least one; traps otherwise.
    ///   - whenFull: What happens to a value beyond the limit.
    ///   - onSkip: Called with each value that is published but not expanded.
    ///   - transform: Creates a publisher from a value, after that value has been delivered. Breadth first, it is
    ///     called when the publisher is about to be subscribed to.
    @preconcurrency @inlinable public func expand<P: Publisher<Output, Failure>>(
        _ order: Publishers.ExpansionOrder = .breadthFirst, limit: Int,
        whenFull: Publishers.ExpansionOverflow<Failure>, onSkip: (@Sendable (Output) -> Void)? = nil,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.Expand<P, Self> {
        Publishers.Expand(
            upstream: self, order: order, limit: limit, whenFull: whenFull, onSkip: onSkip, transform: transform)
    }
}

extension Publishers {
    /// Which of the publishers that `expand` makes is subscribed to next.
    public enum ExpansionOrder: Hashable, Sendable, CaseIterable {
        /// The one for the value that has waited longest.
        case breadthFirst

        /// The one for the most recent value.
        case depthFirst
    }

    /// What `expand` does with a value beyond the limit.
    public enum ExpansionOverflow<Failure: Error> {
        /// The stream fails with the closure's result, in place of the value.
        case fail(@Sendable () -> Failure)

        /// The value is published but not expanded.
        case skip
    }

    /// A publisher of the values of upstream, and recursively of the publishers made from them.
    public struct Expand<NewPublisher: Publisher<Upstream.Output, Upstream.Failure>, Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Which publisher is subscribed to next.
        public let order: ExpansionOrder

        /// How many values may wait, or how many publishers may be nested.
        public let limit: Int

        /// What happens to a value beyond the limit.
        public let whenFull: ExpansionOverflow<Failure>

        /// Called with each value that is not expanded.
        public let onSkip: (@Sendable (Output) -> Void)?

        /// Creates a publisher from a value.
        public let transform: @Sendable (Output) -> NewPublisher

        /// Creates the publisher that `expand(_:limit:whenFull:onSkip:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, order: ExpansionOrder, limit: Int, whenFull: ExpansionOverflow<Failure>,
            onSkip: (@Sendable (Output) -> Void)?, transform: @escaping @Sendable (Output) -> NewPublisher
        ) {
            requireLimit(limit, "expand(limit:)")
            self.upstream = upstream
            self.order = order
            self.limit = limit
            self.whenFull = whenFull
            self.onSkip = onSkip
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            switch order {
            case .breadthFirst: BreadthFirst(self).begin(upstream, subscriber)
            case .depthFirst: receiveDepthFirst(subscriber)
            }
        }

        @inlinable func receiveDepthFirst(_ subscriber: some Subscriber<Output, Failure>) {
            let onSkip = Undeliverable.reporting(onSkip, by: "expand")
            DepthConduit.connect(
                upstream, to: subscriber,
                place: { [limit, whenFull] value, depth in
                    if depth < limit { return .inner }
                    if let failure = whenFull.refuse(value, onSkip) { return .failure(failure) }
                    return .leaf
                },
                attach: { [transform] in transform($0).receive(subscriber: $1) })
        }
    }
}

extension Publishers.ExpansionOverflow {
    /// Does not expand a value.
    ///
    /// - Returns: The failure that ends the stream, if it does.
    @inlinable func refuse<Value>(_ value: Value, _ onSkip: ((Value) -> Void)?) -> Failure? {
        if case .fail(let makeFailure) = self { return makeFailure() }
        onSkip?(value)
        return nil
    }
}

extension Publishers.ExpansionOverflow: Sendable {}

extension Publishers.Expand: Sendable where Upstream: Sendable {}

/// Subscribes to publishers in the order of the values that they are made from.
@usableFromInline
final class BreadthFirst<NewPublisher: Publisher<Upstream.Output, Upstream.Failure>, Upstream: Publisher> {
    @usableFromInline typealias Conduit = SuccessionConduit<Upstream.Output, Upstream.Failure>

    @usableFromInline let plan: Publishers.Expand<NewPublisher, Upstream>

    // Confined to the publisher whose turn it is.
    @exclusivity(unchecked) @usableFromInline var waiting = Queue<Upstream.Output>()

    @usableFromInline let onSkip: ((Upstream.Output) -> Void)?

    @inlinable init(_ plan: Publishers.Expand<NewPublisher, Upstream>) {
        self.plan = plan
        onSkip = Undeliverable.reporting(plan.onSkip, by: "expand")
    }

    @inlinable func begin(_ upstream: Upstream, _ subscriber: some Subscriber<Upstream.Output, Upstream.Failure>) {
        Conduit(name: "Expand", to: subscriber).proceed { self.attach(upstream, to: $0, turn: $1) }
    }

    @inlinable func attach(
        _ publisher: some Publisher<Upstream.Output, Upstream.Failure>, to conduit: Conduit, turn: Int
    ) {
        // Called only during the publisher's turn.
        nonisolated(unsafe) let keep = { self.keep($0) }
        publisher
            .step(state: ()) { _, value in
                if let failure = keep(value) { .end(.failure(failure)) } else { .next(value) }
            }
            .receive(subscriber: SuccessionSubscriber(conduit, turn: turn) { [self] in proceed($0, $1) })
    }

    /// Enqueues a value until its turn.
    ///
    /// - Returns: The failure that ends the stream in place of the value.
    @inlinable func keep(_ value: Upstream.Output) -> Upstream.Failure? {
        if waiting.count >= plan.limit { return plan.whenFull.refuse(value, onSkip) }
        waiting.append(value)
        return nil
    }

    @inlinable func proceed(_ conduit: Conduit, _ completion: Subscribers.Completion<Upstream.Failure>) {
        guard case .finished = completion, let value = waiting.popFirst() else { return conduit.end(completion) }
        conduit.proceed { [self] in run(value, on: $0, turn: $1) }
    }

    /// Makes a publisher of a value, and subscribes to it, unless it has only a value, for which there is demand.
    @inlinable func run(_ value: Upstream.Output, on conduit: Conduit, turn: Int) {
        var (publisher, turn) = (plan.transform(value), turn)
        while let only = publisher._soleValue, conduit.gate.hasDemand {
            if let failure = keep(only) { return conduit.end(.failure(failure)) }
            conduit.deliver(only: only, turn: turn)
            guard let next = waiting.popFirst() else { return conduit.end(.finished) }
            guard let nextTurn = conduit.nextTurn() else { return }
            (publisher, turn) = (plan.transform(next), nextTurn)
        }
        attach(publisher, to: conduit, turn: turn)
    }
}
