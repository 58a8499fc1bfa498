/// Which entries of a stream are read.
public enum EntryStart: Hashable, Sendable {
    /// All that are there, and then those that are added.
    case beginning
    /// Those that are added from the subscription's first demand on.
    case end
    /// Those after an entry, and then those that are added.
    case after(EntryID)
    /// Those that are there from one identifier to another, both included.
    case between(EntryID, EntryID)
}

extension RedisStream {
    /// Publishes the entries of the stream, without a group: each subscriber reads all of them.
    ///
    /// ```
    /// there     1-2|
    /// added     ------3---4--
    /// entries   1-2---3---4--
    /// ```
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").stream("orders")
    /// let cancellable = orders.entries(from: .beginning)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.id, $0.fields) })
    /// ```
    ///
    /// After a lost connection it continues after the last entry that was read: no entry comes twice, and none is
    /// skipped unless it has been trimmed meanwhile. If the key is deleted and a new stream is created under it, the
    /// new one is read from its beginning, and ``RedisEvent/streamReplaced(_:)`` reports it, after five seconds
    /// without a new entry. If, by then, the new stream has passed the last entry that was read, its entries up to
    /// that one are skipped, and servers before version 7 can't tell.
    ///
    /// - **Demand**: reads at most as many entries as are requested, up to 1,000 at a time and about
    ///   ``RedisOptions/readSize`` bytes, and nothing while none are.
    /// - **Completion**: follows the end and never finishes, except for `.between`, which finishes when it has found
    ///   the end. Fails if the server refuses, and if there is no connection for longer than the policy allows.
    /// - **Threads**: entries and a failure are delivered on the queue of the connection; a failure to connect may come
    ///   from another queue.
    /// - **Complexity**: a connection of its own, which waits at the server.
    ///
    /// - Parameter start: Which entries.
    public func entries(from start: EntryStart) -> AnyPublisher<Entry, RedisError> {
        publisher("XREAD") { EntrySource(self, start, $0, $1) }
    }
}
