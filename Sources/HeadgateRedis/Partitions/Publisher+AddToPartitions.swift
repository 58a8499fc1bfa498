extension Publisher where Failure == RedisError {
    /// Adds an entry to a partition for each value, and publishes where it is.
    ///
    /// ```
    /// self      a---b---c---|
    /// add       --1---2---3-|
    /// ```
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").partitions("orders", count: 64)
    /// let cancellable = ["ada tea", "bob rice"].publisher
    ///     .add(to: orders, by: { Bytes($0.prefix(3)) }) { ["item": Bytes($0.dropFirst(4))] }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// The key decides on the partition, and is the first field of the entry, `headgate-key`. Entries are added in the
    /// order of the values, even if connections are lost, so the entries that one publisher adds with one key stay in
    /// order. When an entry may be added twice is as for `add(to:)` with one stream; with `id`, each partition has its
    /// own last identifier.
    ///
    /// - **Demand**: requests from upstream at most as many values as downstream has requested and as may be
    ///   unconfirmed at a time. So no place waits for demand.
    /// - **Completion**: as for `add(to:)` with one stream. Fails at once, with
    ///   ``RedisError/Reason-swift.enum/partitionCount(stored:asked:)``, if the stream has another number of partitions;
    ///   nothing is added before that is known.
    /// - **Threads**: `key`, `id` and `fields` are called on the thread on which upstream delivers. Places are delivered as
    ///   the identifiers of `add(to:)` with one stream are.
    /// - **Complexity**: as for `add(to:)` with one stream, one allocation more, and time proportional to the length of the
    ///   key.
    ///
    /// - Parameters:
    ///   - partitions: The partitions, which are created if they do not exist.
    ///   - key: What has to stay in order: entries with the same key do. Of any length.
    ///   - id: The identifier of a value, above that of the value before in its partition; by default, the server chooses.
    ///   - trimming: How many entries are kept in each partition.
    ///   - maxInFlight: The maximum number of unconfirmed entries. A number below one traps.
    ///   - fields: The other fields of the entry.
    public func add(
        to partitions: RedisPartitions, by key: @escaping @Sendable (Output) -> Bytes,
        id: (@Sendable (Output) -> EntryID)? = nil, trimming: StreamTrimming = .none, maxInFlight: Int = 256,
        _ fields: @escaping @Sendable (Output) -> EntryFields
    ) -> Publishers.AddingToPartitions<Self, RedisError> {
        Publishers.AddingToPartitions(
            upstream: self, partitions: partitions, key: key, id: id, fields: fields, trimming: trimming,
            maxInFlight: maxInFlight, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Failure == Never {
    /// Adds an entry to a partition for each value, and publishes where it is.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that may fail.
    public func add(
        to partitions: RedisPartitions, by key: @escaping @Sendable (Output) -> Bytes,
        id: (@Sendable (Output) -> EntryID)? = nil, trimming: StreamTrimming = .none, maxInFlight: Int = 256,
        _ fields: @escaping @Sendable (Output) -> EntryFields
    ) -> Publishers.AddingToPartitions<Self, RedisError> {
        Publishers.AddingToPartitions(
            upstream: self, partitions: partitions, key: key, id: id, fields: fields, trimming: trimming,
            maxInFlight: maxInFlight, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Failure == SystemError {
    /// Adds an entry to a partition for each value, and publishes where it is.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that fails with a
    /// ``RedisError``; an error of the system becomes the reason of one.
    public func add(
        to partitions: RedisPartitions, by key: @escaping @Sendable (Output) -> Bytes,
        id: (@Sendable (Output) -> EntryID)? = nil, trimming: StreamTrimming = .none, maxInFlight: Int = 256,
        _ fields: @escaping @Sendable (Output) -> EntryFields
    ) -> Publishers.AddingToPartitions<Self, RedisError> {
        // The stream keeps what translates failures, which must not keep the client.
        let address = partitions.redis.description
        return Publishers.AddingToPartitions(
            upstream: self, partitions: partitions, key: key, id: id, fields: fields, trimming: trimming,
            maxInFlight: maxInFlight,
            upstreamFailure: { RedisError(.system($0), address: address) }, failure: { $0 })
    }
}

extension Publisher where Failure == any Error {
    /// Adds an entry to a partition for each value, and publishes where it is.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that fails with a
    /// ``RedisError``.
    public func add(
        to partitions: RedisPartitions, by key: @escaping @Sendable (Output) -> Bytes,
        id: (@Sendable (Output) -> EntryID)? = nil, trimming: StreamTrimming = .none, maxInFlight: Int = 256,
        _ fields: @escaping @Sendable (Output) -> EntryFields
    ) -> Publishers.AddingToPartitions<Self, any Error> {
        Publishers.AddingToPartitions(
            upstream: self, partitions: partitions, key: key, id: id, fields: fields, trimming: trimming,
            maxInFlight: maxInFlight, upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publishers {
    /// A publisher of the places of entries that it adds to partitions.
    public struct AddingToPartitions<Upstream: Publisher, Failure: Error>: Publisher {
        /// The type of the published values.
        public typealias Output = PartitionEntryID

        /// The publisher of the values.
        public let upstream: Upstream

        @usableFromInline let partitions: RedisPartitions
        @usableFromInline let key: @Sendable (Upstream.Output) -> Bytes
        @usableFromInline let id: (@Sendable (Upstream.Output) -> EntryID)?
        @usableFromInline let fields: @Sendable (Upstream.Output) -> EntryFields
        @usableFromInline let trimming: StreamTrimming
        @usableFromInline let maxInFlight: Int
        @usableFromInline let upstreamFailure: @Sendable (Upstream.Failure) -> Failure
        @usableFromInline let failure: @Sendable (RedisError) -> Failure

        init(
            upstream: Upstream, partitions: RedisPartitions, key: @escaping @Sendable (Upstream.Output) -> Bytes,
            id: (@Sendable (Upstream.Output) -> EntryID)?,
            fields: @escaping @Sendable (Upstream.Output) -> EntryFields, trimming: StreamTrimming, maxInFlight: Int,
            upstreamFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
            failure: @escaping @Sendable (RedisError) -> Failure
        ) {
            checkAdding(trimming, maxInFlight)
            self.upstream = upstream
            self.partitions = partitions
            self.key = key
            self.id = id
            self.fields = fields
            self.trimming = trimming
            self.maxInFlight = maxInFlight
            self.upstreamFailure = upstreamFailure
            self.failure = failure
        }

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = ExchangeConduit<Upstream.Output, Upstream.Failure, PartitionEntryID, Failure>(
                name: "AddingToPartitions", limit: maxInFlight, AnySubscriber(subscriber),
                translate: upstreamFailure)
            let adder = PartitionAdder(
                partitions, trimming, choosesIDs: id != nil, keep: { conduit.keep($0, for: $1) },
                serve: { conduit.serve() }, fail: { [failure] in conduit.fail(failure($0)) })
            conduit.connect(
                upstream,
                to: .init(
                    take: { [key, id, fields] value, number in
                        let key = key(value)
                        adder.add(fields(value), key: key, id: id?(value), number: number)
                    }, end: adder.end))
        }
    }
}

extension Publishers.AddingToPartitions: Sendable where Upstream: Sendable {}
