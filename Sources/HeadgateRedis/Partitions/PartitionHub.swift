/// What all who use the partitions of one name in this process have in common.
final class PartitionHub: Sendable {
    /// The number of partitions that the server has confirmed.
    private let confirmed = Guarded<Int?>(nil)

    let events = PassthroughSubject<PartitionEvent, Never>()

    /// Sees to it that the stream has this number of partitions, and stores it where nobody has.
    ///
    /// - Parameter proceed: Called with what is wrong, or with nothing: at once if the server has confirmed it before.
    func open(_ partitions: RedisPartitions, _ proceed: @escaping @Sendable (RedisError?) -> Void) {
        let count = partitions.count
        if confirmed.withLock({ $0 }) == count { return proceed(nil) }
        partitions.redis.send(PartitionScript.open(partitions), .repeated) { [self] reply in
            switch reply {
            case .success(let stored):
                guard stored.integer == Int64(count) else {
                    return proceed(partitions.mismatch(stored))
                }
                confirmed.withLock { $0 = count }
                proceed(nil)
            case .failure(let error): proceed(error)
            }
        }
    }
}

extension RedisPartitions {
    /// The failure of who has another number of partitions than the one that is stored.
    func mismatch(_ stored: RedisValue) -> RedisError {
        let reason = stored.integer.map { RedisError.Reason.partitionCount(stored: Int($0), asked: count) }
        return redis.error(reason ?? .unexpected("\(stored) as the number of partitions"), "EVAL")
    }
}
