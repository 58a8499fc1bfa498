/// What has to be done on the server in one step.
///
/// The text is sent each time: the server knows it by its digest after the first, and a restarted one needs no second
/// message.
struct Script: ExpressibleByStringInterpolation {
    private let text: Bytes

    init(stringLiteral text: String) { self.text = Bytes(text) }

    /// The command that has it executed.
    func run(_ keys: [Bytes], _ arguments: [Bytes]) -> [Bytes] {
        ["EVAL", text, Bytes("\(keys.count)")] + keys + arguments
    }

    /// Renews the hold on entries that the consumer still holds.
    ///
    /// Arguments: group, consumer, identifiers. Returns those that it does not hold any more.
    static let renewing: Script = """
        local lost = {}
        for i = 3, #ARGV do
          local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1)[1]
          if pending and pending[2] == ARGV[2] then
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
          else
            lost[#lost + 1] = ARGV[i]
          end
        end
        return lost
        """

    /// Looks for entries that others have left, one consumer of a group after the other.
    ///
    /// Keys: the stream and the marker, whose time to live says when the next look is due. Arguments: group, consumer, the
    /// least idle time in milliseconds, the entry after which to look or nothing at the beginning, the marker's time and
    /// the idle time of a consumer that is gone, in milliseconds. Returns how long to wait because another has looked, or
    /// zero, where to go on, and identifier, consumer and count of each entry. Rights are lacking for what is done
    /// beside that, or memory: it is left undone.
    static let looking: Script = """
        local key, group, consumer, idle, from = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
        if from == '' then
          local wait = redis.pcall('PTTL', KEYS[2])
          if type(wait) == 'number' and wait > 0 then return {wait} end
          redis.pcall('SET', KEYS[2], consumer, 'PX', ARGV[5])
          from = '-'
          local consumers = redis.pcall('XINFO', 'CONSUMERS', key, group)
          for _, facts in ipairs(consumers) do
            local fact = {}
            for i = 1, #facts, 2 do fact[facts[i]] = facts[i + 1] end
            if fact.pending == 0 and fact.idle > tonumber(ARGV[6]) and fact.name ~= consumer then
              redis.pcall('XGROUP', 'DELCONSUMER', key, group, fact.name)
            end
          end
        end
        local rows, result = redis.call('XPENDING', key, group, from, '+', 500), {}
        for _, row in ipairs(rows) do
          if row[3] >= idle then result[#result + 1] = {row[1], row[2], row[4]} end
        end
        if #result > 0 then redis.pcall('DEL', KEYS[2]) end
        return {0, #rows == 500 and '(' .. rows[500][1] or '', result}
        """

    /// Takes pending entries over, or moves those that have been delivered too often.
    ///
    /// Keys: the stream, and that for entries that have been delivered too often, if there is a limit. Arguments: group,
    /// consumer, the least idle time in milliseconds, the limit or zero; then by turns identifiers, who holds them, and how
    /// often they have been handed on, or -1 for what the server has counted. What another consumer has taken meanwhile is
    /// left to it, and an entry of more words than Lua can pass to a command is not moved. Returns for each entry that was
    /// taken over its identifier, fields, count and last consumer, for each that exists no more only its identifier, and
    /// for each that could not be moved its identifier and why.
    static let claiming: Script = """
        local key, group, consumer = KEYS[1], ARGV[1], ARGV[2]
        local idle, limit = tonumber(ARGV[3]), tonumber(ARGV[4])
        local result = {}
        for i = 5, #ARGV, 3 do
          local id, owner, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
          local pending = redis.call('XPENDING', key, group, id, id, 1)[1]
          if pending and pending[2] == owner and pending[3] >= idle then
            if count < 0 then count = pending[4] end
            local entry = redis.call('XRANGE', key, id, id)[1]
            if not entry then
              redis.call('XACK', key, group, id)
              result[#result + 1] = {id}
            elseif limit > 0 and count >= limit and #entry[2] < 7900 then
              local fields = entry[2]
              for _, word in ipairs({'headgate-id', id, 'headgate-count', count, 'headgate-consumer', owner}) do
                fields[#fields + 1] = word
              end
              local moved = redis.pcall('XADD', KEYS[2], '*', unpack(fields))
              if type(moved) == 'table' and moved.err then
                result[#result + 1] = {id, moved.err}
              else
                redis.call('XACK', key, group, id)
              end
            else
              redis.call('XCLAIM', key, group, consumer, 0, id, 'RETRYCOUNT', count + 1)
              result[#result + 1] = {id, entry[2], count + 1, owner}
            end
          end
        end
        return result
        """

    /// Acknowledges entries, and deletes those that were still pending.
    ///
    /// Key: the stream. Arguments: group, identifiers. Returns how many were deleted.
    static let acknowledgingAndDeleting: Script = """
        local deleted = 0
        for i = 2, #ARGV do
          if redis.call('XACK', KEYS[1], ARGV[1], ARGV[i]) == 1 then
            deleted = deleted + redis.call('XDEL', KEYS[1], ARGV[i])
          end
        end
        return deleted
        """

    /// A function that finds a group among what `XINFO` tells of the groups of a stream.
    static let finding = """
        local function find(groups, name)
          for _, facts in ipairs(groups) do
            local fact = {}
            for i = 1, #facts, 2 do fact[facts[i]] = facts[i + 1] end
            if fact.name == name then return fact end
          end
        end
        """

    /// A function that tells how far a group of a stream is behind, and nothing if there is no such group.
    ///
    /// It returns how many entries the group has not delivered, or nothing where the server does not know, how many are
    /// pending, for how many consumers, and the age of the oldest that is not delivered, in milliseconds, or -1.
    static let lagging = """
        \(finding)
        local function lag(groups, key, name)
          local fact = find(groups, name)
          if not fact then return nil end
          local last = fact['last-delivered-id']
          local rows = redis.call('XRANGE', key, last, '+', 'COUNT', 2)
          local oldest = rows[1] and rows[1][1] ~= last and rows[1] or rows[2]
          if not oldest then return {0, fact.pending, fact.consumers, -1} end
          local now = redis.call('TIME')
          local age = now[1] * 1000 + math.floor(now[2] / 1000) - tonumber(string.match(oldest[1], '^%d+'))
          return {fact.lag or false, fact.pending, fact.consumers, math.max(0, age)}
        end
        """

    /// How far a group is behind.
    ///
    /// Key: the stream. Argument: group.
    static let lagOfGroup: Script = """
        \(lagging)
        local row = lag(redis.call('XINFO', 'GROUPS', KEYS[1]), KEYS[1], ARGV[1])
        return row or redis.error_reply('NOGROUP No such consumer group')
        """

    /// Tells how far the identifiers of a stream have come, and how many entries it ever had, where the server knows.
    ///
    /// Key: the stream.
    static let progressing: Script = """
        if redis.call('EXISTS', KEYS[1]) == 0 then return {'0-0'} end
        local facts, fact = redis.call('XINFO', 'STREAM', KEYS[1]), {}
        for i = 1, #facts, 2 do fact[facts[i]] = facts[i + 1] end
        return {fact['last-generated-id'], fact['entries-added']}
        """
}

extension Array {
    /// The elements in parts of at most a number: the server does nothing else while it executes a script about some.
    func parts(of most: Int) -> [[Element]] {
        stride(from: 0, to: count, by: most).map { Array(self[$0..<Swift.min(count, $0 + most)]) }
    }
}
