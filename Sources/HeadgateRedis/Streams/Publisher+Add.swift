extension Publisher where Output == EntryFields, Failure == RedisError {
    /// Adds an entry to a stream for each value, and publishes its identifier.
    ///
    /// ```
    /// self      a---b---c---|
    /// add       --1---2---3-|
    /// ```
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").stream("orders")
    /// let cancellable = ["tea", "rice"].publisher
    ///     .map { ["item": Bytes($0)] as EntryFields }
    ///     .add(to: orders, trimming: .toAbout(1_000_000))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// Entries are added in the order of the values (`XADD`), without waiting for each other's confirmation. An entry
    /// whose identifier has been published is in the stream. One whose confirmation is lost with a connection is added
    /// again, and may then be there twice, unless `id` is given: if the identifier is there already, the server's
    /// refusal counts as success, and so it does if the entry was sent over a lost connection and all up to it have
    /// been trimmed since. A producer that restarts with entries that have been trimmed or deleted fails: the server
    /// can't tell them from entries that were never added.
    ///
    /// While the server refuses for a time (`BUSY`, `READONLY`, `LOADING`, `OOM`, `NOREPLICAS` and the like), the
    /// refused entry and those sent after it are sent again, in order. A server may refuse an entry and take later
    /// ones that were on their way: without `id`, these are added once more after it; with `id`, the refused one is
    /// below the last by then and can't be added any more, and the stream fails with the server's message.
    /// `maxInFlight: 1` rules that out.
    ///
    /// - **Demand**: requests from upstream at most as many values as downstream has requested and as may be
    ///   unconfirmed at a time. So no identifier waits for demand.
    /// - **Completion**: finishes when upstream has finished and the last entry is confirmed; a failure of upstream
    ///   waits for the confirmations, too. Fails at once if the server refuses an entry, and if there is no connection
    ///   for longer than the policy allows. What a server refuses for a time is sent again. After a refusal or
    ///   `cancel()`, entries that have been sent may still be added.
    /// - **Threads**: `id` is called on the thread on which upstream delivers. Identifiers are delivered on the queue
    ///   of the connection, where the server's answers arrive, or by a thread that is delivering already; a failure may
    ///   come from another queue.
    /// - **Complexity**: no allocation per entry, but a share of one for many, and no system call of its own while others
    ///   are being written.
    ///
    /// - Parameters:
    ///   - stream: The stream, which is created if it does not exist.
    ///   - id: The identifier of a value, above that of the value before; by default, the server chooses.
    ///   - trimming: How many entries are kept.
    ///   - maxInFlight: The maximum number of unconfirmed entries. A number below one traps.
    public func add(
        to stream: RedisStream, id: (@Sendable (EntryFields) -> EntryID)? = nil, trimming: StreamTrimming = .none,
        maxInFlight: Int = 256
    ) -> Publishers.AddingEntries<Self, RedisError> {
        Publishers.AddingEntries(
            upstream: self, stream: stream, trimming: trimming, maxInFlight: maxInFlight, id: id,
            upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Output == EntryFields, Failure == Never {
    /// Adds an entry to a stream for each value, and publishes its identifier.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that may fail.
    public func add(
        to stream: RedisStream, id: (@Sendable (EntryFields) -> EntryID)? = nil, trimming: StreamTrimming = .none,
        maxInFlight: Int = 256
    ) -> Publishers.AddingEntries<Self, RedisError> {
        Publishers.AddingEntries(
            upstream: self, stream: stream, trimming: trimming, maxInFlight: maxInFlight, id: id,
            upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publisher where Output == EntryFields, Failure == SystemError {
    /// Adds an entry to a stream for each value, and publishes its identifier.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that fails with a
    /// ``RedisError``; an error of the system becomes the reason of one.
    public func add(
        to stream: RedisStream, id: (@Sendable (EntryFields) -> EntryID)? = nil, trimming: StreamTrimming = .none,
        maxInFlight: Int = 256
    ) -> Publishers.AddingEntries<Self, RedisError> {
        // The stream keeps what translates failures, which must not keep the client.
        let address = stream.redis.description
        return Publishers.AddingEntries(
            upstream: self, stream: stream, trimming: trimming, maxInFlight: maxInFlight, id: id,
            upstreamFailure: { RedisError(.system($0), address: address) }, failure: { $0 })
    }
}

extension Publisher where Output == EntryFields, Failure == any Error {
    /// Adds an entry to a stream for each value, and publishes its identifier.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those for an upstream that fails with a
    /// ``RedisError``.
    public func add(
        to stream: RedisStream, id: (@Sendable (EntryFields) -> EntryID)? = nil, trimming: StreamTrimming = .none,
        maxInFlight: Int = 256
    ) -> Publishers.AddingEntries<Self, any Error> {
        Publishers.AddingEntries(
            upstream: self, stream: stream, trimming: trimming, maxInFlight: maxInFlight, id: id,
            upstreamFailure: { $0 }, failure: { $0 })
    }
}

extension Publishers {
    /// A publisher of the identifiers of entries that it adds to a stream.
    public struct AddingEntries<Upstream: Publisher, Failure: Error>: Publisher
    where Upstream.Output == EntryFields {
        /// The type of the published values.
        public typealias Output = EntryID

        /// The publisher of the fields.
        public let upstream: Upstream

        /// The stream to which entries are added.
        public let stream: RedisStream

        /// How many entries are kept.
        public let trimming: StreamTrimming

        /// The maximum number of unconfirmed entries.
        public let maxInFlight: Int

        @usableFromInline let id: (@Sendable (EntryFields) -> EntryID)?
        @usableFromInline let upstreamFailure: @Sendable (Upstream.Failure) -> Failure
        @usableFromInline let failure: @Sendable (RedisError) -> Failure

        init(
            upstream: Upstream, stream: RedisStream, trimming: StreamTrimming, maxInFlight: Int,
            id: (@Sendable (EntryFields) -> EntryID)?,
            upstreamFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
            failure: @escaping @Sendable (RedisError) -> Failure
        ) {
            checkAdding(trimming, maxInFlight)
            self.upstream = upstream
            self.stream = stream
            self.trimming = trimming
            self.maxInFlight = maxInFlight
            self.id = id
            self.upstreamFailure = upstreamFailure
            self.failure = failure
        }

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = ExchangeConduit<EntryFields, Upstream.Failure, EntryID, Failure>(
                name: "AddingEntries", limit: maxInFlight, AnySubscriber(subscriber), translate: upstreamFailure)
            let adder = Adder(
                stream.redis, 1, { [stream] _ in stream.key }, trimming, choosesIDs: id != nil,
                keep: { id, _, number in conduit.keep(id, for: number) }, serve: { conduit.serve() },
                fail: { [failure] in conduit.fail(failure($0)) })
            let id = self.id
            conduit.connect(upstream, to: .init(take: { adder.add($0, id: id?($0), number: $1) }))
        }
    }
}

extension Publishers.AddingEntries: Sendable where Upstream: Sendable {}

/// Traps unless entries can be added that way.
func checkAdding(_ trimming: StreamTrimming, _ maxInFlight: Int) {
    require(
        maxInFlight >= 1, rule: "At least one entry must be under way at a time.", found: "maxInFlight: \(maxInFlight)",
        remedy: "Pass 1 to wait for each confirmation before the next entry is sent.")
    switch trimming {
    case .toAbout(let count) where count < 0, .toExactly(let count) where count < 0:
        programmerError(
            rule: "The number of entries that are kept can't be negative.", found: "\(count)",
            remedy: "Pass .none to keep all.")
    default: break
    }
}
