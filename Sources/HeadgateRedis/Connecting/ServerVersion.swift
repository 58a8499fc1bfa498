/// What streams need of a server.
enum ServerVersion {
    /// From this version on, `XPENDING` looks for idle entries, and ranges may leave out their first entry.
    static let needed = "6.2"

    /// What a server has that does not know `HELLO`, by which others tell their version.
    static let beforeHello = "before 6.0"

    fileprivate static func isTooOld(_ version: String) -> Bool {
        if version == beforeHello { return true }
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? .max }
        return numbers.lexicographicallyPrecedes([6, 2])
    }

    /// What servers answer to a command or an option that they do not know, in lower-case letters.
    fileprivate static let refusals = [
        "unknown command", "unknown redis command", "unknown subcommand", "syntax error", "invalid stream id",
        "not an integer or out of range", "wrong number of arguments",
    ]
}

extension RedisError {
    /// The error of a stream's command, with the server's version if that is why it was refused.
    func blaming(_ version: String?) -> RedisError {
        guard let version, code == "ERR", case .server(let words) = reason, ServerVersion.isTooOld(version) else {
            return self
        }
        let lowercased = words.lowercased()
        guard ServerVersion.refusals.contains(where: { lowercased.contains($0) }) else { return self }
        return RedisError(.tooOld(version: version, needed: ServerVersion.needed), command: command, address: address)
    }
}
