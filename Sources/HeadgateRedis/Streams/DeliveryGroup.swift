/// What all deliveries of one consumer have in common.
struct DeliveryGroup: Sendable {
    let stream: RedisStream
    let group: Bytes
    let consumer: Bytes
    let takeOverAfter: Duration?
    let limit: DeliveryLimit
    let longestWork: Duration?
    let whenGroupIsLost: LostGroupPolicy

    /// After what time an entry that nobody has renewed counts as left: by a consumer that has died, or, where nothing is
    /// taken over, by this one.
    var idleTime: Duration { takeOverAfter ?? .seconds(60) }

    /// A key of the group's own, on the same node of a cluster as the stream.
    var marker: Bytes {
        let pieces = stream.key.inItsSlot + [":headgate-look:", group]
        return Bytes(joining: pieces, count: pieces.reduce(0) { $0 + $1.count })
    }
}

/// What happens to an entry that is delivered again and again.
public enum DeliveryLimit: Sendable {
    /// It is delivered until it is acknowledged.
    case unlimited
    /// It is delivered at most this often, and then moved to another stream of the same server.
    ///
    /// What a connection lost on its way to this consumer does not count. What a process had received when it was killed
    /// does, whether work on it had begun or not: the server knows no more than that it was delivered. So allow for
    /// more deliveries than a worker may crash in a row, and let a worker that may crash request little at a time.
    ///
    /// In that stream, it has its fields and, in addition, `headgate-id`, `headgate-count` and `headgate-consumer`:
    /// its identifier, how often it was delivered, and to whom last. Moving and acknowledging are one step: both are
    /// done or neither. An entry of more than 3,900 fields, which no script of the server can add, is delivered again
    /// instead. One that the other stream does not accept stays pending, and ``RedisEvent/notMoved(stream:id:_:)``
    /// reports it; others go on.
    case atMost(Int, then: RedisStream)
}

extension DeliveryLimit {
    /// Traps unless entries can be delivered that often, and moved.
    func check(with redis: Redis) {
        guard case .atMost(let count, let rest) = self else { return }
        require(
            count >= 1, rule: "An entry is delivered at least once.", found: "deliveries: .atMost(\(count), then: …)",
            remedy: "Pass how often an entry may be tried.")
        if rest.redis !== redis {
            programmerError(
                rule: "Entries are moved within one server.", found: "a stream of another Redis",
                remedy: "Make both streams with the same Redis.")
        }
    }
}

extension RedisStream {
    /// What keeps entries of this stream from being moved on a cluster: that is one step, on one node.
    func problem(with limit: DeliveryLimit) -> RedisError? {
        guard redis.cluster != nil, case .atMost(_, let rest) = limit, HashSlot(of: rest.key) != HashSlot(of: key)
        else {
            return nil
        }
        let words = "\(key.excerpt()) and \(rest.key.excerpt()), to which its entries are moved, are in different slots"
        return redis.error(.differentSlots(words), "XREADGROUP")
    }
}

/// What happens when a group, or the key that it belongs to, has vanished.
public enum LostGroupPolicy: Hashable, Sendable {
    /// The group is created again, from the beginning of what is there, and ``Redis/events`` reports it.
    case createAgain
    /// The stream fails.
    case fail
}
