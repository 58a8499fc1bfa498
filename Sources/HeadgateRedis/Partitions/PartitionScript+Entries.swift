/// What only the owner of a partition may do: each compares the token with the lease in the same step.
///
/// Reading needs no script, because the server looks for the fence of the lease itself.
extension PartitionScript {
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
        return claiming.run(keys, arguments + claims.flatMap { [$0.id.bytes, Bytes("\($0.count)")] })
    }

    private static let claiming: Script = """
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
    static func acknowledge(_ group: PartitionGroup, _ parts: [PartitionWorker.Part], deletes: Bool) -> Bytes {
        let keys = parts.flatMap { $0.lease.keys + [$0.lease.fenceKey] }
        let beginning = acknowledging.run(keys, [group.suffix, group.group, group.worker, deletes ? "1" : "0"])
        let heads = parts.map { [$0.lease.tokenBytes, $0.releases ? "1" : "0", Bytes("\($0.waiting.count)")] }
        let count = parts.reduce(beginning.count + 3 * parts.count) { $0 + $1.waiting.count }
        let words = beginning + heads.joined()
        let room = words.reduce(CommandWriter.roomForNumber) { $0 + CommandWriter.room(for: $1) }
        return .commandPart(room + count * CommandWriter.roomForID) { writer in
            writer.put(UInt8(ascii: "*"), count)
            for word in beginning { writer.put(word) }
            for (part, head) in zip(parts, heads) {
                for word in head { writer.put(word) }
                for waiting in part.waiting { writer.put(waiting.id) }
            }
        }
    }

    private static let acknowledging: Script = """
        local result, place = {}, 5
        for i = 1, #KEYS, 4 do
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
              redis.call('DEL', KEYS[i], KEYS[i + 3])
              redis.pcall('SET', KEYS[i + 1], token .. ' released ' .. ARGV[3])
            end
            result[#result + 1] = done
          end
        end
        return result
        """
}
