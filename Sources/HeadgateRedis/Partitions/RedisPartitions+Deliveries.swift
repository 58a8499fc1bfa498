/// In which order the entries of a partition are delivered.
public enum PartitionOrdering: Hashable, Sendable {
    /// One of each key at a time: the next one when that has been acknowledged or moved to the dead letters.
    case byKey
    /// All in the order of the partition, without waiting: for work in batches, whose order is the application's.
    case asRead
}

/// What happens to the later entries of a key when the work on one has failed.
public enum FailedWorkPolicy: Hashable, Sendable {
    /// They wait until it has succeeded, or has been delivered too often.
    case holdBack
    /// They go on, and it is delivered again between them.
    case goOn
}

/// What happens when a partition can't be read, because its key holds no stream.
public enum FailedPartitionPolicy: Hashable, Sendable {
    /// It is reported by ``RedisPartitions/events`` and tried again, and the others go on.
    case goOn
    /// The stream fails.
    case fail
}

extension RedisPartitions {
    /// Publishes the entries of those partitions that a worker owns, at least once each, and those of a key in their order.
    ///
    /// ```
    /// a1 b1 a2 b2  in the partitions
    /// deliveries   a1-b1-------b2-a2---
    /// acknowledged --------b1-a1-------
    /// ```
    ///
    /// ```swift no-run
    /// let redis = Redis("redis://127.0.0.1")
    /// let billing = redis.partitions("orders", count: 64)
    ///     .deliveries(group: "billing", worker: "host-7", deliveries: .atMost(5, then: redis.stream("orders-failed")))
    ///     .asyncMap(maxConcurrent: 32, by: \.key) { delivery in await book(delivery) }
    ///     .acknowledge()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    /// ```
    ///
    /// The workers of a group share the partitions: each owns an equal number, or one more, by a lease that it renews
    /// every third of its duration. When workers come or go, as few partitions move as possible. One that has too many
    /// stops reading, waits until what it has delivered is acknowledged or released, and passes the partition on, so
    /// that nothing is repeated; it does the same when its stream is cancelled, for example by `stopped(by:)`. The
    /// partitions of a worker that has died are owned by others once its leases have ended, by the server's clock.
    ///
    /// A lease has a token above those of all previous owners. The server compares it in the same step in which it
    /// reads, acknowledges or moves an entry, so a worker that has lost its lease can do none of these, however long
    /// it was stopped; by the worker's own clock, ``Delivery/isHeld`` is `false` before that, and `acknowledge()`
    /// publishes nothing for a refused acknowledgement.
    ///
    /// By default, an entry is delivered when the previous one of its key has been acknowledged or moved to the dead
    /// letters, so keep the batches of `acknowledge` short if few keys have many entries. If the work on an entry
    /// fails, so that its last copy is released, it is delivered again after `retryingAfter`, and later entries of its
    /// key wait for it, while other keys go on.
    ///
    /// - **Demand**: reads at most as many entries at a time as are requested, from the partitions in turn, about
    ///   ``RedisOptions/readSize`` bytes, and nothing while none are. Entries that wait for others of their key do not
    ///   count: a partition is not read beyond 128 of them.
    /// - **Completion**: never finishes. Fails if the stream has another number of partitions, if a process that is
    ///   alive has the worker's name (which is known when the lease of one that has died would have ended), if the
    ///   server refuses a command other than temporarily, or if there is no connection for longer than the policy
    ///   allows. After `cancel()`, the worker keeps the partitions of work under way until that is done, or until
    ///   `handingOverWithin`.
    /// - **Threads**: entries are delivered on the queues of connections, or by a thread that requests or releases a
    ///   delivery; a failure may come from another queue.
    /// - **Complexity**: one connection that waits at the server for all partitions at once, and the one that commands
    ///   share; on a cluster, one of each to each node. One allocation per entry and one per key that is under way; reading takes time proportional to the number
    ///   of partitions.
    ///
    /// - Parameters:
    ///   - group: The group, which is created in each partition where it does not exist.
    ///   - worker: The name of the worker, different for each process.
    ///   - start: Where a group that is created begins.
    ///   - lease: For how long a partition is owned unless the ownership is renewed: longer than any pause of a process.
    ///     Less than a second traps.
    ///   - deliveries: How often an entry may be delivered; less than once traps, and so does a dead-letter stream
    ///     that belongs to another ``Redis``. There it also has its partition, `headgate-partition`. On a cluster, the
    ///     dead letters of partition 7 are in a stream in its slot, whose key ends in `:{7}`.
    ///   - ordering: Whether entries of a key wait for each other.
    ///   - whenWorkFails: What happens to the later entries of a key.
    ///   - retryingAfter: After what time an entry comes again whose work has failed. A negative time traps.
    ///   - handingOverWithin: How long a partition that is to be passed on waits for what is under way; after that,
    ///     another owner repeats it. `nil` for as long as a lease. A negative time traps.
    ///   - whenGroupIsLost: What happens when a group or a partition's key has vanished.
    ///   - whenPartitionFails: What happens when a partition can't be read.
    public func deliveries(
        group: Bytes, worker: Bytes, startingAt start: GroupStart = .beginning, lease: Duration = .seconds(10),
        deliveries: DeliveryLimit = .unlimited, ordering: PartitionOrdering = .byKey,
        whenWorkFails: FailedWorkPolicy = .holdBack, retryingAfter: Duration = .seconds(1),
        handingOverWithin: Duration? = nil, whenGroupIsLost: LostGroupPolicy = .createAgain,
        whenPartitionFails: FailedPartitionPolicy = .goOn
    ) -> AnyPublisher<Delivery, RedisError> {
        require(
            lease >= .seconds(1), rule: "A partition is leased for at least a second.", found: "lease: \(lease)",
            remedy: "Pass a time longer than any pause of a process, such as ten seconds.")
        for (name, time) in [("retryingAfter", retryingAfter), ("handingOverWithin", handingOverWithin ?? lease)]
        where time < .zero {
            programmerError(
                rule: "The time \(name) can't be negative.", found: "\(time)", remedy: "Pass .zero for at once.")
        }
        deliveries.check(with: redis)
        let settings = { @Sendable in
            PartitionGroup(
                partitions: self, group: group, worker: worker, start: start, lease: lease, limit: deliveries,
                ordering: ordering, whenWorkFails: whenWorkFails, retryingAfter: retryingAfter,
                handingOverWithin: handingOverWithin ?? lease, whenGroupIsLost: whenGroupIsLost,
                whenPartitionFails: whenPartitionFails)
        }
        if let problem = settings().problem { return Fail(error: problem).eraseToAnyPublisher() }
        // Each subscriber is a membership of its own.
        return stream(0).publisher("XREADGROUP") { PartitionWorker(settings(), $0, $1) }
    }
}
