import HeadgateCore

/// Who owns a partition: the key of its lease exists as long, by the server's clock, and says by what token.
///
/// Renewing lets it expire later, which a server whose memory is full accepts, too.
extension PartitionScript {
    /// Takes the leases that nobody has.
    ///
    /// The token is above each one before it, and not below the server's time, so that it grows even if the server has
    /// lost its data. A group that does not exist is made.
    ///
    /// Returns for each partition the number 0, the token, the owner before and whether it has released, and the last
    /// identifier that was delivered; 1, how long another holds it, and what is in the lease; or 2 and an error.
    static func acquire(_ group: PartitionGroup, _ partitions: [(number: Int, start: Bytes)]) -> [Bytes] {
        let keys = partitions.flatMap { group.keys(of: $0.number) }
        let arguments = [group.suffix, group.leaseTime, group.group, group.worker] + partitions.map(\.start)
        return run(acquiring, keys, arguments)
    }

    private static let acquiring: Bytes = """
        local suffix, group, result = ARGV[1], ARGV[3], {}
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        for i = 1, #KEYS, 3 do
          local lease, last, stream = KEYS[i], KEYS[i + 1], KEYS[i + 2]
          local current = redis.call('GET', lease)
          if current and string.sub(current, -#suffix) ~= suffix then
            result[#result + 1] = {1, redis.call('PTTL', lease), current}
          else
            local made = redis.pcall('XGROUP', 'CREATE', stream, group, ARGV[5 + (i - 1) / 3], 'MKSTREAM')
            if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then
              result[#result + 1] = {2, made.err}
            else
              local before = redis.call('GET', last) or ''
              local number, state, owner = string.match(before, '^(%d+) (%a+) (.*)$')
              local token = string.format('%.0f', math.max(now, (tonumber(number) or 0) + 1))
              redis.call('SET', lease, token .. suffix, 'PX', ARGV[2])
              redis.call('SET', last, token .. ' held ' .. ARGV[4])
              local delivered = '0-0'
              for _, facts in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
                local fact = {}
                for k = 1, #facts, 2 do fact[facts[k]] = facts[k + 1] end
                if fact.name == group then delivered = fact['last-delivered-id'] end
              end
              result[#result + 1] = {0, token, owner or '', state == 'held' and 1 or 0, delivered}
            end
          end
        end
        return result
        """

    /// Renews leases.
    ///
    /// Returns by turns the place of each that is another's or nobody's, and what is in it.
    static func renew(_ group: PartitionGroup, _ leases: [PartitionLease]) -> [Bytes] {
        run(
            renewing, leases.map { group.leaseKey($0.partition) },
            [group.suffix, group.leaseTime] + leases.map(\.tokenBytes))
    }

    private static let renewing: Bytes = """
        local lost = {}
        for i, key in ipairs(KEYS) do
          local current = redis.call('GET', key)
          if current == ARGV[i + 2] .. ARGV[1] then
            redis.call('PEXPIRE', key, ARGV[2])
          else
            lost[#lost + 1] = i - 1
            lost[#lost + 1] = current or ''
          end
        end
        return lost
        """

    /// Gives a lease up.
    ///
    /// What has been read and not been handed on is counted as before.
    ///
    /// - Parameter counts: How often entries had been delivered before they were read.
    static func release(_ group: PartitionGroup, _ lease: PartitionLease, _ counts: [(id: EntryID, count: Int)])
        -> [Bytes]
    {
        let arguments = [group.value(of: lease), group.group, PartitionGroup.consumer, lease.tokenBytes, group.worker]
        return run(
            releasing, group.keys(of: lease.partition),
            arguments + counts.flatMap { [$0.id.bytes, Bytes("\($0.count)")] })
    }

    private static let releasing: Bytes = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        for i = 6, #ARGV, 2 do
          redis.pcall('XCLAIM', KEYS[3], ARGV[2], ARGV[3], 0, ARGV[i], 'RETRYCOUNT', ARGV[i + 1], 'JUSTID')
        end
        redis.call('DEL', KEYS[1])
        redis.pcall('SET', KEYS[2], ARGV[4] .. ' released ' .. ARGV[5])
        return 1
        """
}
