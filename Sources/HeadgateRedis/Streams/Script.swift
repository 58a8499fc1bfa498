/// What has to be done on the server in one step.
///
/// The text is sent each time: the server knows it by its digest after the first, and a restarted one needs no second
/// message.
enum Script {
    /// Renews the hold on entries that the consumer still holds.
    ///
    /// Arguments: group, consumer, identifiers. Returns those that it does not hold any more.
    static func renew(keys: [Bytes], _ arguments: [Bytes]) -> [Bytes] { run(renewing, keys, arguments) }

    private static let renewing: Bytes = """
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

    /// Takes pending entries over, or moves those that have been delivered too often.
    ///
    /// Keys: the stream, and that for entries that have been delivered too often, if there is a limit. Arguments: group,
    /// consumer, the least idle time in milliseconds, the limit or zero; then identifiers and who holds them, by turns.
    /// What another consumer has taken meanwhile is left to it, and an entry of more words than Lua can pass to a command is
    /// not moved. Returns for each entry that was taken over its identifier,
    /// fields, count and last consumer, and for each that exists no more only its identifier.
    static func claim(keys: [Bytes], _ arguments: [Bytes]) -> [Bytes] { run(claiming, keys, arguments) }

    private static let claiming: Bytes = """
        local key, group, consumer = KEYS[1], ARGV[1], ARGV[2]
        local idle, limit = tonumber(ARGV[3]), tonumber(ARGV[4])
        local result = {}
        for i = 5, #ARGV, 2 do
          local id, owner = ARGV[i], ARGV[i + 1]
          local pending = redis.call('XPENDING', key, group, id, id, 1)[1]
          if pending and pending[2] == owner and pending[3] >= idle then
            local entry = redis.call('XRANGE', key, id, id)[1]
            if not entry then
              redis.call('XACK', key, group, id)
              result[#result + 1] = {id}
            elseif limit > 0 and pending[4] >= limit and #entry[2] < 7900 then
              local fields = entry[2]
              for _, word in ipairs({'headgate-id', id, 'headgate-count', pending[4], 'headgate-consumer', owner}) do
                fields[#fields + 1] = word
              end
              redis.call('XADD', KEYS[2], '*', unpack(fields))
              redis.call('XACK', key, group, id)
            else
              redis.call('XCLAIM', key, group, consumer, 0, id)
              result[#result + 1] = {id, entry[2], pending[4] + 1, owner}
            end
          end
        end
        return result
        """

    private static func run(_ script: Bytes, _ keys: [Bytes], _ arguments: [Bytes]) -> [Bytes] {
        ["EVAL", script, Bytes("\(keys.count)")] + keys + arguments
    }
}
