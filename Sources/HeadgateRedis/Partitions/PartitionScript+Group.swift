/// Who works in a group, and who is to own which partition.
extension PartitionScript {
    /// Says that a worker lives, or that it leaves, and makes a new plan of who owns which partition when workers have
    /// come or gone.
    ///
    /// A worker counts as long as its key exists, which expires by the server's clock. The plan leaves to each worker what
    /// it has, but for what it has beyond its share; those with the most keep the larger share, so that as few
    /// partitions as possible move. Whoever makes a new one rings the others' bells. A memory that is full refuses a
    /// new plan: the old one holds then.
    ///
    /// Returns `count` and the number of partitions that is stored, if it is another; `used`, how long the name remains
    /// in use, and by which process; `left` to a process that leaves under the name of another; or the version of the plan
    /// and, if it is not the known one, the names of the workers and for each partition the place of its owner among them.
    static func beat(_ group: PartitionGroup, knowing version: Bytes, leaves: Bool = false) -> [Bytes] {
        let keys = [group.partitions.countKey, group.membersKey, group.planKey]
        var arguments = [group.worker, group.instance, group.leaseTime, Bytes("\(group.partitions.count)"), version]
        arguments += [group.livePrefix, group.bellPrefix, leaves ? "leave" : ""]
        return beating.run(keys, arguments)
    }

    private static let beating: Script = """
        local name, instance, lease, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
        local live, bell, leaves = ARGV[6], ARGV[7], ARGV[8] == 'leave'
        local stored = redis.call('GET', KEYS[1])
        if not stored then
          redis.call('SET', KEYS[1], ARGV[4])
        elseif stored ~= ARGV[4] then
          return {'count', stored}
        end
        local current = redis.call('GET', live .. name)
        if current and current ~= instance then
          if leaves then return {'left'} end
          return {'used', redis.call('PTTL', live .. name), current}
        elseif leaves then
          redis.call('DEL', live .. name)
        elseif current then
          redis.call('PEXPIRE', live .. name, lease)
        else
          redis.call('SET', live .. name, instance, 'PX', lease)
        end
        local names, owned, gone, isKnown = {}, {}, {}, false
        for _, member in ipairs(redis.call('SMEMBERS', KEYS[2])) do
          if redis.call('EXISTS', live .. member) == 1 then
            names[#names + 1] = member
            owned[member] = {}
            if member == name then isKnown = true end
          else
            gone[#gone + 1] = member
          end
        end
        if not leaves and not isKnown then
          names[#names + 1] = name
          owned[name] = {}
        end
        local version = redis.call('HGET', KEYS[3], 'version')
        if #gone > 0 or not (isKnown or leaves) or not version then
          local now = redis.call('TIME')
          local number = now[1] * 1000 + math.floor(now[2] / 1000)
          if version then number = math.max(number, tonumber(version) + 1) end
          local next = string.format('%.0f', number)
          local made = redis.pcall('HSET', KEYS[3], 'version', next)
          if type(made) == 'table' and made.err then
            if not version then return redis.error_reply(made.err) end
          else
            version = next
            for _, member in ipairs(gone) do redis.call('SREM', KEYS[2], member) end
            if not (isKnown or leaves) then redis.call('SADD', KEYS[2], name) end
            local before, free = {}, {}
            local rows = redis.call('HGETALL', KEYS[3])
            for i = 1, #rows, 2 do before[rows[i]] = rows[i + 1] end
            for place = 0, count - 1 do
              local list = owned[before[tostring(place)] or false]
              if not list then list = free end
              list[#list + 1] = place
            end
            table.sort(names, function(a, b)
              if #owned[a] ~= #owned[b] then return #owned[a] > #owned[b] end
              return a < b
            end)
            local share = {}
            for i, member in ipairs(names) do
              share[member] = math.floor(count / #names) + (i <= count % #names and 1 or 0)
              local list = owned[member]
              while #list > share[member] do free[#free + 1] = table.remove(list) end
            end
            for _, member in ipairs(names) do
              for _ = #owned[member] + 1, share[member] do
                local place = table.remove(free)
                redis.call('HSET', KEYS[3], tostring(place), member)
              end
            end
            for _, place in ipairs(free) do redis.call('HDEL', KEYS[3], tostring(place)) end
            for _, member in ipairs(names) do
              if member ~= name then
                redis.pcall('XADD', bell .. member, 'MAXLEN', '1', '*', 'from', name)
                redis.pcall('PEXPIRE', bell .. member, lease * 3)
              end
            end
          end
        end
        if version == ARGV[5] then return {version} end
        table.sort(names)
        local place, owners = {}, {}
        for i, member in ipairs(names) do place[member] = i - 1 end
        local rows = redis.call('HGETALL', KEYS[3])
        for i = 1, #rows, 2 do
          local partition = tonumber(rows[i])
          if partition and place[rows[i + 1]] then
            owners[#owners + 1] = partition
            owners[#owners + 1] = place[rows[i + 1]]
          end
        end
        return {version, names, owners}
        """

    /// Ends the waiting of a worker.
    static func ring(_ group: PartitionGroup, for worker: Bytes) -> [Bytes] {
        ringing.run([group.bellKey(of: worker)], [group.worker, group.leaseTime])
    }

    private static let ringing: Script = """
        redis.call('XADD', KEYS[1], 'MAXLEN', '1', '*', 'from', ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[2] * 3)
        """
}
