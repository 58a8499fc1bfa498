/// Who owns a partition: the key of its lease exists as long, by the server's clock, and says by what token.
///
/// Renewing lets it expire later, which a server whose memory is full accepts, too.
///
/// Beside it is its *fence*: an empty stream with the consumer group, named by lease and token. A read names it together
/// with the stream of the partition, and the server refuses to read anything if it is not there. So reading compares
/// the token in the same step, as scripts do, at the price of one command. A fence ends before its lease, or with it.
extension PartitionScript {
    /// Takes the leases that nobody has.
    ///
    /// The token is above each one before it, and not below the server's time, so that it grows even if the server has
    /// lost its data. A group that does not exist is made. The fence of the owner before is removed, should it have
    /// outlived its lease. Fences are named by what is found here, and can't be among the keys.
    ///
    /// Returns for each partition the number 0, the token, the owner before and whether it has released, and the last
    /// identifier that was delivered; 1, how long another holds it, and what is in the lease; or 2 and an error.
    static func acquire(_ group: PartitionGroup, _ partitions: [(number: Int, start: Bytes)]) -> [Bytes] {
        let keys = partitions.flatMap { group.keys(of: $0.number) }
        let arguments = [group.suffix, group.leaseTime, group.group, group.worker] + partitions.map(\.start)
        return acquiring.run(keys, arguments)
    }

    private static let acquiring: Script = """
        \(Script.finding)
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
              if number then redis.call('DEL', lease .. ':' .. number) end
              local fence = lease .. ':' .. token
              redis.call('XGROUP', 'CREATE', fence, group, '$', 'MKSTREAM')
              redis.call('PEXPIRE', fence, ARGV[2])
              redis.call('SET', lease, token .. suffix, 'PX', ARGV[2])
              redis.call('SET', last, token .. ' held ' .. ARGV[4])
              local delivered = find(redis.call('XINFO', 'GROUPS', stream), group)['last-delivered-id']
              result[#result + 1] = {0, token, owner or '', state == 'held' and 1 or 0, delivered}
            end
          end
        end
        return result
        """

    /// Renews leases, and makes the fences again that are missing.
    ///
    /// Returns by turns the place of each that is another's or nobody's, and what is in it; of each whose group is lost,
    /// and an error; and of each whose fence can't be made, and a list with the server's words.
    ///
    /// - Parameter isRefused: Whether the server has refused to read any of them, so that a fence may be there and be none.
    static func renew(_ group: PartitionGroup, _ leases: [PartitionLease], isRefused: Bool) -> [Bytes] {
        renewing.run(
            leases.flatMap { [$0.leaseKey, $0.streamKey, $0.fenceKey] },
            [group.suffix, group.leaseTime, group.group, isRefused ? "1" : "0"] + leases.map(\.tokenBytes))
    }

    private static let renewing: Script = """
        \(Script.finding)
        local group, lost = ARGV[3], {}
        local function problem(key)
          local groups = redis.pcall('XINFO', 'GROUPS', key)
          return groups.err or not find(groups, group) and 'NOGROUP'
        end
        for i = 1, #KEYS, 3 do
          local place, answer = (i - 1) / 3, nil
          local current = redis.call('GET', KEYS[i])
          if current ~= ARGV[place + 5] .. ARGV[1] then
            answer = current or ''
          else
            local fence, made = KEYS[i + 2], {}
            local isThere = redis.call('PEXPIRE', fence, ARGV[2]) == 1
            if not isThere or ARGV[4] == '1' and problem(fence) then
              redis.call('DEL', fence)
              made = redis.pcall('XGROUP', 'CREATE', fence, group, '$', 'MKSTREAM')
              redis.call('PEXPIRE', fence, ARGV[2])
            end
            redis.call('PEXPIRE', KEYS[i], ARGV[2])
            local words = problem(KEYS[i + 1])
            if words then
              if not string.find(words, 'WRONGTYPE', 1, true) then words = 'NOGROUP No such consumer group' end
              answer = redis.error_reply(words)
            elseif made.err then
              answer = {made.err}
            end
          end
          if answer then
            lost[#lost + 1] = place
            lost[#lost + 1] = answer
          end
        end
        return lost
        """

    /// Gives a lease up.
    ///
    /// What has been read and not been handed on is counted as before.
    ///
    /// - Parameter unused: How often entries had been delivered before they were read.
    static func release(_ group: PartitionGroup, _ lease: PartitionLease, _ unused: PartitionLease.Unused) -> [Bytes] {
        let arguments = [
            group.value(of: lease), group.group, PartitionGroup.consumer, lease.tokenBytes, group.worker,
            unused.after?.bytes ?? "",
        ]
        return releasing.run(
            lease.keys + [lease.fenceKey],
            arguments + unused.counts.flatMap { [$0.id.bytes, Bytes("\($0.count)")] })
    }

    private static let releasing: Script = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        local stream, group, consumer = KEYS[3], ARGV[2], ARGV[3]
        local function count(id, number)
          redis.pcall('XCLAIM', stream, group, consumer, 0, id, 'RETRYCOUNT', number, 'JUSTID')
        end
        for i = 7, #ARGV, 2 do count(ARGV[i], ARGV[i + 1]) end
        local after = ARGV[6]
        while after ~= '' do
          local rows = redis.pcall('XPENDING', stream, group, '(' .. after, '+', 100)
          after = ''
          for _, row in ipairs(rows.err and {} or rows) do
            count(row[1], row[4] - 1)
            after = row[1]
          end
        end
        redis.call('DEL', KEYS[1], KEYS[4])
        redis.pcall('SET', KEYS[2], ARGV[4] .. ' released ' .. ARGV[5])
        return 1
        """
}
