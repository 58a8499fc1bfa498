/// What has to be done in one step on the server for partitions.
enum PartitionScript {
    /// Stores the number of partitions unless there is one.
    ///
    /// Returns the one that is stored.
    static func open(_ partitions: RedisPartitions) -> [Bytes] {
        opening.run([partitions.countKey], [Bytes("\(partitions.count)")])
    }

    private static let opening: Script = """
        local stored = redis.call('GET', KEYS[1])
        if stored then return stored end
        redis.call('SET', KEYS[1], ARGV[1])
        return ARGV[1]
        """
}
