import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value, makes a publisher of it, and does the same with the values of that, and so on.
    ///
    /// ```
    /// self    1-------------------------|
    /// expand  1: 2, 3   2: 4
    ///         1--2--3--4----------------|
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
    /// One publisher is going at a time. Breadth first, it is the one made of the value that has waited for the longest, and
    /// upstream comes first: use it where values of the same depth belong together. Depth first, it is the one made of the
    /// most recent value, before the next value of the publisher that it came from: use it where little may be kept.
    ///
    /// - **Demand**: passed on to the publisher that is going. Depth first, each of the publishers under way is requested
    ///   one value ahead while demand is finite.
    /// - **Completion**: finishes when upstream and all publishers have finished; fails at once when one of them does.
    /// - **Complexity**: breadth first, constant time per value, and memory for up to `limit` values. Depth first, time and
    ///   stack per value grow with its depth, as do publishers under way, of which there are up to `limit`.
    ///
    /// - Parameters:
    ///   - order: Which publisher goes first.
    ///   - limit: Breadth first, how many values may wait for their publisher; depth first, how many publishers may be
    ///     under way. At least one, or it is a programmer's error and traps.
    ///   - whenFull: What happens to a value for which there is no room.
    ///   - onSkip: Told of each value that is published and not expanded.
    ///   - transform: Makes a publisher of a value, after that has been delivered. Breadth first, that is when its turn
    ///     has come.
    @inlinable public func expand<P: Publisher>(
        _ order: Publishers.ExpansionOrder = .breadthFirst, limit: Int,
        whenFull: Publishers.ExpansionOverflow<Failure>, onSkip: StreamClosure<Output, Void>? = nil,
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.Expand<P, Self> where P.Output == Output, P.Failure == Failure {
        Publishers.Expand(
            upstream: self, order: order, limit: limit, whenFull: whenFull, onSkip: onSkip, transform: transform)
    }
}

extension Publishers {
    /// Which of the publishers that `expand` makes goes first.
    public enum ExpansionOrder: Hashable, Sendable, CaseIterable {
        /// The one whose value has waited for the longest.
        case breadthFirst

        /// The one whose value came last.
        case depthFirst
    }

    /// What `expand` does with a value for which there is no room.
    public enum ExpansionOverflow<Failure: Error> {
        /// The stream fails with what the closure makes, in place of the value.
        case fail(StreamClosure<Failure>)

        /// The value is published, and nothing is made of it.
        case skip
    }

    /// A publisher of the values of another publisher, of what is made of these, and so on.
    public struct Expand<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Output == Upstream.Output, NewPublisher.Failure == Upstream.Failure {
        /// The values of upstream and of the publishers that are made.
        public typealias Output = Upstream.Output

        /// The errors of upstream and of the publishers that are made, and that of no room.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are expanded.
        public let upstream: Upstream

        /// Which publisher goes first.
        public let order: ExpansionOrder

        /// How many values may wait, or how many publishers may be under way.
        public let limit: Int

        /// What happens to a value for which there is no room.
        public let whenFull: ExpansionOverflow<Failure>

        /// What is told of a value that is not expanded.
        public let onSkip: StreamClosure<Output, Void>?

        /// What makes a publisher of a value.
        public let transform: StreamClosure<Output, NewPublisher>

        /// Makes the publisher that `expand(_:limit:whenFull:onSkip:_:)` returns.
        @inlinable public init(
            upstream: Upstream, order: ExpansionOrder, limit: Int, whenFull: ExpansionOverflow<Failure>,
            onSkip: StreamClosure<Output, Void>?, transform: @escaping StreamClosure<Output, NewPublisher>
        ) {
            requireLimit(limit, "expand(limit:)")
            self.upstream = upstream
            self.order = order
            self.limit = limit
            self.whenFull = whenFull
            self.onSkip = onSkip
            self.transform = transform
        }

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            switch order {
            case .breadthFirst: BreadthFirst(self).begin(upstream, subscriber)
            case .depthFirst: depthFirst(upstream, depth: 0).receive(subscriber: subscriber)
            }
        }

        /// The values of a publisher, each followed by what is made of it.
        private func depthFirst(
            _ publisher: some Publisher<Output, Failure>, depth: Int
        ) -> AnyPublisher<Output, Failure> {
            let expand = serially { (value: Output) -> AnyPublisher<Output, Failure> in
                let itself = Just(value).setFailureType(to: Failure.self)
                if depth == limit {
                    if case .fail(let makeFailure) = whenFull {
                        return AnyPublisher(hiding: Fail(error: makeFailure()))
                    }
                    Undeliverable.telling(onSkip)?(value)
                    return AnyPublisher(hiding: itself)
                }
                let others: StreamClosure<AnyPublisher<Output, Failure>> = serially {
                    depthFirst(transform(value), depth: depth + 1)
                }
                return AnyPublisher(hiding: itself.append(Deferred(createPublisher: others)))
            }
            return AnyPublisher(hiding: publisher.concatMap(expand))
        }
    }
}

extension Publishers.ExpansionOverflow: StrictlySendable {}

extension Publishers.Expand: StrictlySendable where Upstream: StrictlySendable {}

/// Goes through publishers in the order of the values that they are made of.
private final class BreadthFirst<NewPublisher: Publisher, Upstream: Publisher>
where NewPublisher.Output == Upstream.Output, NewPublisher.Failure == Upstream.Failure {
    private typealias Conduit = SuccessionConduit<Upstream.Output, Upstream.Failure>

    private let plan: Publishers.Expand<NewPublisher, Upstream>

    // Belongs to the publisher whose turn it is, hence unchecked.
    @exclusivity(unchecked) private var waiting = Queue<Upstream.Output>()

    private let onSkip: ((Upstream.Output) -> Void)?

    init(_ plan: Publishers.Expand<NewPublisher, Upstream>) {
        self.plan = plan
        onSkip = Undeliverable.telling(plan.onSkip)
    }

    func begin(_ upstream: Upstream, _ subscriber: some Subscriber<Upstream.Output, Upstream.Failure>) {
        Conduit(name: "Expand", to: subscriber).proceed { self.attach(upstream, to: $0, turn: $1) }
    }

    private func attach(
        _ publisher: some Publisher<Upstream.Output, Upstream.Failure>, to conduit: Conduit, turn: Int
    ) {
        // Called in the publisher's turn.
        nonisolated(unsafe) let keep = { self.keep($0) }
        publisher
            .step(state: ()) { _, value in keep(value) }
            .receive(subscriber: SuccessionSubscriber(conduit, turn: turn) { [self] in proceed($0, $1) })
    }

    /// Keeps a value for its turn.
    private func keep(_ value: Upstream.Output) -> Publishers.StepResult<Upstream.Output, Upstream.Failure> {
        if waiting.count < plan.limit {
            waiting.append(value)
            return .next(value)
        }
        switch plan.whenFull {
        case .fail(let makeFailure): return .end(.failure(makeFailure()))
        case .skip:
            onSkip?(value)
            return .next(value)
        }
    }

    private func proceed(_ conduit: Conduit, _ completion: Subscribers.Completion<Upstream.Failure>) {
        guard case .finished = completion, let value = waiting.popFirst() else { return conduit.end(completion) }
        conduit.proceed { [self] conduit, turn in attach(plan.transform(value), to: conduit, turn: turn) }
    }
}
