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
    /// Returns by turns the place of each that is another's or nobody's, and what is in it; and of each whose group is lost,
    /// and an error.
    static func renew(_ group: PartitionGroup, _ leases: [PartitionLease]) -> [Bytes] {
        run(
            renewing, leases.flatMap { [$0.leaseKey, $0.streamKey] },
            [group.suffix, group.leaseTime, group.group] + leases.map(\.tokenBytes))
    }

    private static let renewing: Bytes = """
        local lost = {}
        for i = 1, #KEYS, 2 do
          local place = (i - 1) / 2
          local current = redis.call('GET', KEYS[i])
          if current ~= ARGV[place + 4] .. ARGV[1] then
            lost[#lost + 1] = place
            lost[#lost + 1] = current or ''
          else
            redis.call('PEXPIRE', KEYS[i], ARGV[2])
            local groups, isThere = redis.pcall('XINFO', 'GROUPS', KEYS[i + 1]), false
            for _, facts in ipairs(groups.err and {} or groups) do
              for k = 1, #facts, 2 do
                if facts[k] == 'name' and facts[k + 1] == ARGV[3] then isThere = true end
              end
            end
            if not isThere then
              local words = groups.err or ''
              if not string.find(words, 'WRONGTYPE', 1, true) then words = 'NOGROUP No such consumer group' end
              lost[#lost + 1] = place
              lost[#lost + 1] = redis.error_reply(words)
            end
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
            releasing, lease.keys,
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
