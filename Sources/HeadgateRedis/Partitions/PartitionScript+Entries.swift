import HeadgateCore

/// What only the owner of a partition may do: each compares the token with the lease in the same step.
extension PartitionScript {
    /// Delivers new entries to the group, whose fields have been read before.
    ///
    /// What a script returns takes the server several times as long as what a command does, so entries are read by a
    /// command that changes nothing, and only their identifiers pass through this. Executed a second time, it does nothing:
    /// they are not beyond what has been delivered.
    ///
    /// Returns for each partition the number 0, and the identifiers that are still there if some are not; 1 and what is in
    /// the lease if it is another's; or 2 and an error.
    static func deliver(_ group: PartitionGroup, _ batches: [PartitionWorker.Batch]) -> [Bytes] {
        var arguments = [group.suffix, group.group, PartitionGroup.consumer]
        for batch in batches {
            arguments += [batch.lease.tokenBytes, Bytes("\(batch.entries.count)")]
            for entry in batch.entries { arguments.append(entry.id.bytes) }
            arguments += ["FORCE", "JUSTID", "LASTID", batch.entries[batch.entries.count - 1].id.bytes]
        }
        return run(delivering, batches.flatMap { [$0.lease.leaseKey, $0.lease.streamKey] }, arguments)
    }

    private static let delivering: Bytes = """
        local suffix, group, consumer = ARGV[1], ARGV[2], ARGV[3]
        local result, place = {}, 4
        local function before(x, y)
          if #x ~= #y then return #x < #y end
          return x < y
        end
        for i = 1, #KEYS, 2 do
          local token, count = ARGV[place], tonumber(ARGV[place + 1])
          local first, last = place + 2, place + 1 + count
          place = last + 5
          local current = redis.call('GET', KEYS[i])
          local answer = {0}
          if current ~= token .. suffix then
            answer = {1, current or ''}
          else
            local groups, known = redis.pcall('XINFO', 'GROUPS', KEYS[i + 1]), nil
            for _, facts in ipairs(groups.err and {} or groups) do
              local fact = {}
              for k = 1, #facts, 2 do fact[facts[k]] = facts[k + 1] end
              if fact.name == group then known = fact end
            end
            if not known then
              local words = groups.err or ''
              if not string.find(words, 'WRONGTYPE', 1, true) then words = 'NOGROUP No such consumer group' end
              answer = {2, words}
            else
              local a, b = string.match(known['last-delivered-id'], '^(%d+)-(%d+)$')
              local c, d = string.match(ARGV[first], '^(%d+)-(%d+)$')
              if before(a, c) or a == c and before(b, d) then
                local taken = redis.call('XCLAIM', KEYS[i + 1], group, consumer, 0, unpack(ARGV, first, last + 4))
                if #taken < count then answer = {0, taken} end
                local read = known['entries-read']
                if read then
                  redis.pcall('XGROUP', 'SETID', KEYS[i + 1], group, ARGV[last], 'ENTRIESREAD', read + #taken)
                end
              end
            end
          end
          result[#result + 1] = answer
        end
        return result
        """

    /// Delivers pending entries again, or moves those that have been delivered too often.
    ///
    /// It may be executed twice: each entry comes with the count that it is to have. Returns 1 and what is in the lease if
    /// it is another's; else 0, and then for each entry its identifier and 0, its fields; 1 if it exists no more; 2 if it
    /// was moved; 3, its fields and why it could not be; 4 if it is not pending any more.
    static func claim(_ group: PartitionGroup, _ lease: PartitionLease, _ claims: [PartitionClaim]) -> [Bytes] {
        var keys = [lease.leaseKey, lease.streamKey]
        var limit = 0
        if case .atMost(let count, let rest) = group.limit {
            limit = count
            keys.append(group.deadLetterKey(rest, lease.partition))
        }
        let arguments: [Bytes] = [
            group.value(of: lease), group.group, PartitionGroup.consumer, Bytes("\(limit)"), group.worker,
            Bytes("\(lease.partition)"),
        ]
        return run(claiming, keys, arguments + claims.flatMap { [$0.id.bytes, Bytes("\($0.count)")] })
    }

    private static let claiming: Bytes = """
        local current = redis.call('GET', KEYS[1])
        if current ~= ARGV[1] then return {1, current or ''} end
        local key, group, consumer, limit = KEYS[2], ARGV[2], ARGV[3], tonumber(ARGV[4])
        local result = {0}
        for i = 7, #ARGV, 2 do
          local id, count = ARGV[i], tonumber(ARGV[i + 1])
          local entry = redis.call('XRANGE', key, id, id)[1]
          local answer = {id, 4}
          if not redis.call('XPENDING', key, group, id, id, 1)[1] then
            answer = {id, 4}
          elseif not entry then
            redis.call('XACK', key, group, id)
            answer = {id, 1}
          elseif limit > 0 and count > limit and #entry[2] < 7900 then
            local fields = entry[2]
            local words = {'headgate-id', id, 'headgate-count', count - 1, 'headgate-consumer', ARGV[5],
              'headgate-partition', ARGV[6]}
            local count = #fields
            for _, word in ipairs(words) do fields[#fields + 1] = word end
            local moved = redis.pcall('XADD', KEYS[3], '*', unpack(fields))
            for k = #fields, count + 1, -1 do fields[k] = nil end
            if type(moved) == 'table' and moved.err then
              answer = {id, 3, entry[2], moved.err}
            else
              redis.call('XACK', key, group, id)
              answer = {id, 2}
            end
          else
            redis.call('XCLAIM', key, group, consumer, 0, id, 'RETRYCOUNT', count)
            answer = {id, 0, entry[2]}
          end
          result[#result + 1] = answer
        end
        return result
        """

    /// Acknowledges entries of several partitions, and gives up the leases of those that are to be handed over.
    ///
    /// Returns for each partition how many were pending, or -1 if its lease is another's or nobody's.
    static func acknowledge(_ group: PartitionGroup, _ parts: [PartitionWorker.Part], deletes: Bool) -> [Bytes] {
        let keys = parts.flatMap(\.lease.keys)
        var arguments = [group.suffix, group.group, group.worker, deletes ? "1" : "0"]
        for part in parts {
            arguments += [part.lease.tokenBytes, part.releases ? "1" : "0", Bytes("\(part.waiting.count)")]
            for waiting in part.waiting { arguments.append(waiting.id.bytes) }
        }
        return run(acknowledging, keys, arguments)
    }

    private static let acknowledging: Bytes = """
        local result, place = {}, 5
        for i = 1, #KEYS, 3 do
          local token, releases, count = ARGV[place], ARGV[place + 1], tonumber(ARGV[place + 2])
          local first, last = place + 3, place + 2 + count
          place = last + 1
          if redis.call('GET', KEYS[i]) ~= token .. ARGV[1] then
            result[#result + 1] = -1
          else
            local done = 0
            if ARGV[4] == '1' then
              for k = first, last do
                if redis.call('XACK', KEYS[i + 2], ARGV[2], ARGV[k]) == 1 then
                  redis.call('XDEL', KEYS[i + 2], ARGV[k])
                  done = done + 1
                end
              end
            else
              done = redis.call('XACK', KEYS[i + 2], ARGV[2], unpack(ARGV, first, last))
            end
            if releases == '1' then
              redis.call('DEL', KEYS[i])
              redis.pcall('SET', KEYS[i + 1], token .. ' released ' .. ARGV[3])
            end
            result[#result + 1] = done
          end
        end
        return result
        """
}
