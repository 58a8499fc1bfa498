extension RedisStream {
    /// Publishes the entries that a group delivers to one of its consumers, at least once each.
    ///
    /// ```
    /// pending      1-2|
    /// new          ------3---4---5--
    /// deliveries   1-2---3---4---5--
    /// ```
    ///
    /// ```swift no-run
    /// let redis = Redis("redis://127.0.0.1")
    /// let orders = redis.stream("orders")
    /// let billing = orders.deliveries(
    ///     group: "billing", consumer: "worker-7", takeOverAfter: .seconds(60),
    ///     deliveries: .atMost(5, then: redis.stream("orders-failed")))
    ///     .asyncMap(maxConcurrent: 8) { delivery in await book(delivery) }
    ///     .acknowledge()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    /// ```
    ///
    /// Each entry goes to one consumer of the group, and is pending until it is acknowledged. What was pending for
    /// this consumer comes first, when it starts and after its connection was lost; then what others have held for
    /// longer than `takeOverAfter` without renewing their hold, because they have died; then new entries, in the order
    /// of the stream. A living consumer renews its hold every third of that time, so slow work is not done twice.
    ///
    /// Two processes with the same consumer's name share its entries, and may receive each other's again at a start
    /// and after a lost connection. The consumers of a group look for abandoned entries one at a time: the one that
    /// looks leaves a key that expires, and removes consumers that hold nothing and have received nothing for ten
    /// times `takeOverAfter`.
    ///
    /// - **Demand**: reads at most as many entries as are requested, up to 1,000 at a time and about
    ///   ``RedisOptions/readSize`` bytes, and nothing while none are. So the entries pending for the consumer are
    ///   those that it has received and not acknowledged, and at most as many more as it has requested.
    /// - **Completion**: never finishes. Fails if the server refuses a command other than temporarily, or there is no
    ///   connection for longer than the policy allows, and on a cluster if the dead-letter stream is in another slot. After `cancel()`, what is pending remains so.
    /// - **Threads**: entries and a failure are delivered on the queue of the connection; a failure to connect may come
    ///   from another queue.
    /// - **Complexity**: a connection of its own, which waits at the server; one allocation per entry, whose fields
    ///   stay in the memory in which they arrived. Memory is that of the entries that are referenced.
    ///
    /// - Parameters:
    ///   - group: The group, which is created if it does not exist.
    ///   - consumer: The name of the consumer, different for each process.
    ///   - start: Where a group that is created begins.
    ///   - takeOverAfter: After what time an entry that is pending elsewhere is taken over; `nil` for never. An entry
    ///     whose work has failed comes again after that time, with `nil` after a minute when no new ones come. Less
    ///     than a millisecond traps.
    ///   - deliveries: How often an entry may be delivered; less than once traps, and so does a dead-letter stream
    ///     that belongs to another ``Redis``.
    ///   - longestWork: How long an entry is held for work on it: after that, it is no longer renewed and is delivered
    ///     again after `takeOverAfter`, and the work counts as hanging. `nil` for as long as the delivery is referenced.
    ///     Zero and less trap.
    ///   - whenGroupIsLost: What happens when the group or the key has vanished.
    public func deliveries(
        group: Bytes, consumer: Bytes, startingAt start: GroupStart = .beginning,
        takeOverAfter: Duration? = .seconds(60), deliveries: DeliveryLimit = .unlimited,
        longestWork: Duration? = nil, whenGroupIsLost: LostGroupPolicy = .createAgain
    ) -> AnyPublisher<Delivery, RedisError> {
        if let takeOverAfter, takeOverAfter < .milliseconds(1) {
            programmerError(
                rule: "The time after which an entry is taken over is at least a millisecond.",
                found: "\(takeOverAfter)", remedy: "Pass a time longer than any pause of a process, or nil.")
        }
        if let longestWork, longestWork <= .zero {
            programmerError(
                rule: "The longest time of work is above zero.", found: "\(longestWork)",
                remedy: "Pass a time after which work counts as hanging, or nil.")
        }
        deliveries.check(with: redis)
        if let problem = problem(with: deliveries) { return Fail(error: problem).eraseToAnyPublisher() }
        let delivery = DeliveryGroup(
            stream: self, group: group, consumer: consumer, takeOverAfter: takeOverAfter, limit: deliveries,
            longestWork: longestWork, whenGroupIsLost: whenGroupIsLost)
        return publisher("XREADGROUP") { DeliverySource(delivery, start, $0, $1) }
    }
}

/// Where a new group begins.
public enum GroupStart: Hashable, Sendable {
    /// With the first entry that is there.
    case beginning
    /// With entries that are added from then on.
    case end
    /// With the first entry after this one.
    case after(EntryID)

    var bytes: Bytes {
        switch self {
        case .beginning: "0"
        case .end: "$"
        case .after(let id): id.bytes
        }
    }
}
