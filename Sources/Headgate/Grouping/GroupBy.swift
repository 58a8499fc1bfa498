import HeadgateEngine

extension Publisher {
    /// Splits the values into one publisher per key, each with its own subscriber and demand.
    ///
    /// Drops values of a group that has no subscriber, beyond `buffer`, and of keys beyond `limit` if `whenFull` says
    /// so; `onDrop` receives them. To keep them, subscribe to each group as it is published, as `flatMap` does.
    ///
    /// ```
    /// self      1---2---3---4--|
    /// groupBy   isMultiple(of: 2)
    ///           a---b----------|
    /// a         1-------3------|
    /// b             2-------4--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["ant", "bee", "ape"].publisher
    ///     .groupBy(limit: 100, whenFull: .finishIdlest) { $0.prefix(1) }
    ///     .flatMap { group in group.map { "\(group.key): \($0)" } }
    ///     .sink { print($0) }
    /// // a: ant
    /// // b: bee
    /// // a: ape
    /// ```
    ///
    /// A group without a subscriber buffers up to `buffer` values for a late subscriber, drops further ones, and holds
    /// no other group back. When its subscriber cancels, a group is closed; the values that wait in it, or else the
    /// next value with its key, begin a new one. If there is no room for that, or the subscriber has taken no value of
    /// the group at all, or there will be no further groups, `onDrop` receives the waiting values. Each group accepts
    /// one subscriber; any other gets a stream that finishes at once.
    ///
    /// - **Demand**: requests `buffer` values ahead from upstream. Each is replaced after its delivery. Values that
    ///   wait for demand in their group, or whose group waits to be requested, are not replaced: a slow subscriber
    ///   holds back upstream, and with it the other groups, after `buffer` values. To avoid that, give the group a
    ///   buffer of its own.
    /// - **Completion**: the groups finish or fail with upstream in the order of their creation, each after its values.
    ///   The stream of groups fails at once, and finishes when no group with a subscriber has values that wait. After
    ///   the stream of groups is cancelled, no further groups are created; those with subscribers continue.
    /// - **Threads**: the key is computed, and a group or a value delivered, on the thread on which upstream delivers,
    ///   or on that of the request that it has waited for. All groups share one turn: a request that is made while
    ///   another thread delivers to any group is served by that thread.
    /// - **Complexity**: the time to hash a key per value; memory for `limit` groups and `buffer` values, and `buffer`
    ///   more for each group without a subscriber.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of groups at a time: at least one; traps otherwise.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value with a new key when there are `limit` groups.
    ///   - onDrop: Called with each dropped value, on the delivering thread.
    ///   - key: The key of a value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func groupBy<Key: Hashable & SendableMetatype>(
        limit: Int, buffer: Int = 16, whenFull: Publishers.GroupOverflow<Failure>,
        onDrop: (@Sendable (Output) -> Void)? = nil, _ key: @escaping @Sendable (Output) -> Key
    ) -> Publishers.GroupBy<Self, Key, ImmediateScheduler> {
        Publishers.GroupBy(
            upstream: self, limit: limit, buffer: buffer, whenFull: whenFull, onDrop: onDrop, idling: nil, key: key)
    }

    /// Splits the values into one publisher per key; a group finishes after `idleTimeout` without a value.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let requests = PassthroughSubject<String, Never>()
    /// let cancellable = requests
    ///     .groupBy(limit: 100, idleTimeout: .seconds(10), scheduler: scheduler, whenFull: .finishIdlest) { $0 }
    ///     .flatMap { group in group.count().map { "\(group.key): \($0)" } }
    ///     .sink { print($0) }
    /// requests.send("a")
    /// requests.send("a")
    /// scheduler.advance(by: .seconds(10))
    /// // a: 2
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `groupBy(limit:buffer:whenFull:onDrop:_:)`; the scheduler has at most one job at a time.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of groups at a time: at least one; traps otherwise.
    ///   - idleTimeout: How long a group may go without a value before it finishes. A later value with its key begins a
    ///     new group.
    ///   - scheduler: The scheduler that measures time. Groups finish there.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - whenFull: What happens to a value with a new key when there are `limit` groups.
    ///   - onDrop: Called with each dropped value, on the delivering thread.
    ///   - key: The key of a value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func groupBy<Key: Hashable & SendableMetatype, S: Scheduler>(
        limit: Int, idleTimeout: S.SchedulerTimeType.Stride, scheduler: S, buffer: Int = 16,
        whenFull: Publishers.GroupOverflow<Failure>, onDrop: (@Sendable (Output) -> Void)? = nil,
        _ key: @escaping @Sendable (Output) -> Key
    ) -> Publishers.GroupBy<Self, Key, S> {
        Publishers.GroupBy(
            upstream: self, limit: limit, buffer: buffer, whenFull: whenFull, onDrop: onDrop,
            idling: (idleTimeout, scheduler), key: key)
    }
}

/// The values of one group of `groupBy`, for one subscriber.
@preconcurrency public struct GroupedPublisher<Key: Hashable & SendableMetatype, Output, Failure: Error>: Publisher {
    /// The key that the values have in common.
    public let key: Key

    @usableFromInline let values: AnyPublisher<Output, Failure>

    @inlinable init(key: Key, values: AnyPublisher<Output, Failure>) {
        self.key = key
        self.values = values
    }

    /// Connects the one subscriber; any other gets a stream that finishes at once.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        values.receive(subscriber: subscriber)
    }
}

extension Publishers.GroupOverflow: Sendable {}

extension GroupedPublisher: Sendable where Key: Sendable, Output: Sendable {}

extension Publishers {
    /// What `groupBy` does with a value with a new key when the number of groups has reached its limit.
    public enum GroupOverflow<Failure: Error> {
        /// The stream and its groups fail with the closure's result.
        case fail(@Sendable () -> Failure)
        /// The group that has gone longest without a value finishes, and makes room.
        case finishIdlest
        /// The value is dropped.
        case drop
    }

    /// A publisher of groups of upstream's values.
    @preconcurrency
    public struct GroupBy<Upstream: Publisher, Key: Hashable & SendableMetatype, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of groups at a time.
        public let limit: Int

        /// The maximum number of waiting values.
        public let buffer: Int

        /// What happens to a value with a new key when the number of groups has reached its limit.
        public let whenFull: GroupOverflow<Failure>

        /// Called with each dropped value.
        public let onDrop: (@Sendable (Upstream.Output) -> Void)?

        /// The key of a value.
        public let key: @Sendable (Upstream.Output) -> Key

        @usableFromInline let idling: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, limit: Int, buffer: Int, whenFull: GroupOverflow<Failure>,
            onDrop: (@Sendable (Upstream.Output) -> Void)?, idling: (Context.SchedulerTimeType.Stride, Context)?,
            key: @escaping @Sendable (Upstream.Output) -> Key
        ) {
            requireLimit(limit, "groupBy(limit:)")
            requireLimit(buffer, "groupBy(buffer:)")
            self.upstream = upstream
            self.limit = limit
            self.buffer = buffer
            self.whenFull = whenFull
            self.onDrop = onDrop
            self.idling = idling
            self.key = key
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            typealias Groups = GroupConduit<Key, Upstream.Output, Failure, Context>
            let rule: OverflowRule<Failure> =
                switch whenFull {
                case .fail(let makeFailure): .fail(makeFailure)
                case .finishIdlest: .makeRoom
                case .drop: .drop
                }
            let step = _MapStep<Groups.Output, Failure, Output> {
                GroupedPublisher(key: $0.label.key, values: AnyPublisher(BranchValues(branch: $0)))
            }
            let subscriber = StepConduit(step, subscriber)
            Groups(
                groupLimit: limit, buffer: buffer, whenFull: rule, idling: idling.map { TimeSpan($0.0, on: $0.1) },
                onDrop: Undeliverable.reporting(onDrop, by: "groupBy"), makeKey: key, AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.GroupBy: Sendable
where Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable {}
