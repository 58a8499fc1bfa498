import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Divides the values between publishers, one for each key, each with its own subscriber and demand.
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
    ///     .groupBy(limit: 100, whenFull: .finishIdlest) { $0.first }
    ///     .flatMap { group in group.collect().map { (group.key ?? "-", $0) } }
    ///     .sink { print($0.0, $0.1) }
    /// // a ["ant", "ape"]
    /// // b ["bee"]
    /// ```
    ///
    /// A group that nobody subscribes to keeps up to `buffer` values for a late subscriber, drops the others, and holds
    /// nobody up. A group whose subscriber cancels is over; the next value of its key begins another one. Each group takes
    /// one subscriber; further ones finish at once.
    ///
    /// - **Demand**: upstream is requested `buffer` values ahead. Each is replaced when it has been delivered. Values that
    ///   wait for a subscriber to request them, or for the group itself to be requested, are not: so a slow subscriber holds
    ///   upstream back after `buffer` values, and with it the other groups. Give it a buffer of its own to keep it from that.
    /// - **Completion**: the groups finish or fail with upstream, each after its values; the stream of groups does so after
    ///   the last group. Who cancels the stream of groups gets no further ones, and those that have subscribers go on.
    /// - **Complexity**: a time for hashing a key per value; memory for `limit` groups and `buffer` values, and `buffer` for
    ///   each group without a subscriber.
    ///
    /// - Parameters:
    ///   - limit: How many groups there may be at a time: at least one, or it is a programmer's error and traps.
    ///   - buffer: How many values may wait: at least one, or it traps.
    ///   - whenFull: What happens to a value of a new key when there are `limit` groups.
    ///   - onDrop: Told of each value that is dropped, on the thread that delivers it.
    ///   - key: The key of a value. Called on the thread that delivers the value.
    @inlinable public func groupBy<Key: Hashable>(
        limit: Int, buffer: Int = 16, whenFull: Publishers.GroupOverflow<Failure>,
        onDrop: StreamClosure<Output, Void>? = nil, _ key: @escaping StreamClosure<Output, Key>
    ) -> Publishers.GroupBy<Self, Key, ImmediateScheduler> {
        Publishers.GroupBy(
            upstream: self, limit: limit, buffer: buffer, whenFull: whenFull, onDrop: onDrop, idling: nil, key: key)
    }

    /// Divides the values between publishers, one for each key, which finish when they have gone without a value for so
    /// long.
    ///
    /// ```swift
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
    /// **Demand**, **Completion** and **Complexity** are those of `groupBy(limit:buffer:whenFull:onDrop:_:)`, and there is
    /// one job of the scheduler at a time.
    ///
    /// - Parameters:
    ///   - limit: How many groups there may be at a time: at least one, or it is a programmer's error and traps.
    ///   - idleTimeout: How long a group may go without a value before it finishes. A later value of its key begins
    ///     another one.
    ///   - scheduler: What tells the time. Groups finish there.
    ///   - buffer: How many values may wait: at least one, or it traps.
    ///   - whenFull: What happens to a value of a new key when there are `limit` groups.
    ///   - onDrop: Told of each value that is dropped, on the thread that delivers it.
    ///   - key: The key of a value. Called on the thread that delivers the value.
    @inlinable public func groupBy<Key: Hashable, S: Scheduler>(
        limit: Int, idleTimeout: S.SchedulerTimeType.Stride, scheduler: S, buffer: Int = 16,
        whenFull: Publishers.GroupOverflow<Failure>, onDrop: StreamClosure<Output, Void>? = nil,
        _ key: @escaping StreamClosure<Output, Key>
    ) -> Publishers.GroupBy<Self, Key, S> {
        Publishers.GroupBy(
            upstream: self, limit: limit, buffer: buffer, whenFull: whenFull, onDrop: onDrop,
            idling: (idleTimeout, scheduler), key: key)
    }
}

/// The values of one group of `groupBy`, for one subscriber.
public struct GroupedPublisher<Key: Hashable, Output, Failure: Error>: Publisher {
    /// What the values have in common.
    public let key: Key

    @usableFromInline let values: AnyPublisher<Output, Failure>

    @inlinable init(key: Key, values: AnyPublisher<Output, Failure>) {
        self.key = key
        self.values = values
    }

    /// Connects the one subscriber; any other finishes at once.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        values.receive(subscriber: subscriber)
    }
}

extension Publishers.GroupOverflow: StrictlySendable {}

extension GroupedPublisher: StrictlySendable where Key: StrictlySendable, Output: StrictlySendable {}

extension Publishers {
    /// What `groupBy` does with a value of a new key when there are as many groups as may be.
    public enum GroupOverflow<Failure: Error> {
        /// The stream and its groups fail with what the closure makes.
        case fail(StreamClosure<Failure>)
        /// The group that has gone without a value for the longest finishes, and makes room.
        case finishIdlest
        /// The value is dropped.
        case drop
    }

    /// A publisher of groups of the values of another publisher.
    public struct GroupBy<Upstream: Publisher, Key: Hashable, Context: Scheduler>: Publisher {
        /// A publisher of the values of one key.
        public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>

        /// The errors of upstream, and that of too many groups.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are divided.
        public let upstream: Upstream

        /// How many groups there may be at a time.
        public let limit: Int

        /// How many values may wait.
        public let buffer: Int

        /// What happens to a value of a new key when there are as many groups as may be.
        public let whenFull: GroupOverflow<Failure>

        /// What is told of a value that is dropped.
        public let onDrop: StreamClosure<Upstream.Output, Void>?

        /// The key of a value.
        public let key: StreamClosure<Upstream.Output, Key>

        @usableFromInline let idling: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, limit: Int, buffer: Int, whenFull: GroupOverflow<Failure>,
            onDrop: StreamClosure<Upstream.Output, Void>?, idling: (Context.SchedulerTimeType.Stride, Context)?,
            key: @escaping StreamClosure<Upstream.Output, Key>
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

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            GroupBranches(groups: self)
                .map(
                    serially {
                        GroupedPublisher(key: $0.label.key, values: AnyPublisher(hiding: BranchValues(branch: $0)))
                    }
                )
                .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.GroupBy: StrictlySendable
where Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable {}

/// The groups as the engine knows them.
@usableFromInline struct GroupBranches<Upstream: Publisher, Key: Hashable, Context: Scheduler>: Publisher {
    @usableFromInline typealias Output = Branch<
        GroupLabel<Key, Context.SchedulerTimeType>, Upstream.Output, Upstream.Failure
    >

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let groups: Publishers.GroupBy<Upstream, Key, Context>

    @inlinable init(groups: Publishers.GroupBy<Upstream, Key, Context>) { self.groups = groups }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        let rule: GroupRule<Failure> =
            switch groups.whenFull {
            case .fail(let makeFailure): .fail(makeFailure)
            case .finishIdlest: .finishIdlest
            case .drop: .drop
            }
        GroupConduit<Key, Upstream.Output, Failure, Context>(
            groupLimit: groups.limit, buffer: groups.buffer, whenFull: rule,
            idling: groups.idling.map { TimeSpan($0.0, on: $0.1) }, onDrop: Undeliverable.telling(groups.onDrop),
            makeKey: groups.key, AnySubscriber(subscriber)
        )
        .connect(groups.upstream, to: subscriber)
    }
}

/// The values of a branch.
@usableFromInline struct BranchValues<Label, Output, Failure: Error>: Publisher {
    @usableFromInline let branch: Branch<Label, Output, Failure>

    @inlinable init(branch: Branch<Label, Output, Failure>) { self.branch = branch }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) { branch.attach(subscriber) }
}
