/// What has happened to a partition, in this process.
public struct PartitionEvent: Hashable, Sendable {
    /// Why a worker no longer owns a partition.
    public enum Loss: Hashable, Sendable {
        /// The server did not confirm the ownership in time, by this process's clock: it was stopped, or out of touch.
        case notConfirmed
        /// The server says that the time is over.
        case expired
        /// The server says that another owns it.
        case takenOver(by: Bytes)
    }

    /// What happened.
    public enum What: Hashable, Sendable {
        /// This worker owns the partition, with this token.
        case owned(partition: Int, token: Int64)
        /// This worker has passed the partition on, to be owned by another worker if there is one. This many
        /// deliveries were still under way when it stopped waiting for them: they are delivered again.
        case handedOver(partition: Int, to: Bytes?, underWay: Int)
        /// This worker no longer owns the partition, and has not passed it on: what was under way is delivered again.
        case lost(partition: Int, Loss)
        /// The partition had no owner until this worker took it: the last owner has not passed it on.
        case withoutOwner(partition: Int, last: Bytes)
        /// The partition can't be read, for example because its key holds no stream. It is tried again.
        case failed(partition: Int, RedisError)
        /// Entries were not acknowledged, because this worker no longer owns their partition.
        case notAcknowledged(partition: Int, token: Int64, [EntryID])
        /// An entry that was delivered too often was moved to the dead-letter stream.
        case movedAway(partition: Int, id: EntryID)
    }

    /// The group.
    public let group: Bytes

    /// The worker.
    public let worker: Bytes

    /// What happened.
    public let what: What

    /// Creates an event, for a test.
    public init(group: Bytes, worker: Bytes, what: What) {
        self.group = group
        self.worker = worker
        self.what = what
    }
}

extension RedisPartitions {
    /// Publishes what happens to the partitions in this process.
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").partitions("orders", count: 64)
    /// let watching = orders.events.sink { print($0.what) }
    /// // owned(partition: 0, token: 1795717171168)
    /// ```
    ///
    /// - **Demand**: drops an event for a subscriber that has requested nothing.
    /// - **Completion**: never finishes, never fails.
    /// - **Threads**: events are delivered on the queues of the connections, one at a time.
    /// - **Complexity**: as for a subject.
    public var events: AnyPublisher<PartitionEvent, Never> { hub.events.eraseToAnyPublisher() }
}
