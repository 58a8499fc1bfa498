/// Where a server is, and how to log in: what a URL says.
package struct RedisAddress: Sendable {
    package let socket: SocketAddress
    package var user: String?
    package var password: String?
    package var database = 0

    /// The address for messages: without user and password.
    package var description: String { database == 0 ? "\(socket)" : "\(socket)/\(database)" }

    /// Reads a URL.
    ///
    /// - Throws: An explanation, which does not repeat the URL: it may contain a password.
    package static func parse(_ url: String) -> Result<RedisAddress, RedisError> {
        func failure(_ explanation: String) -> Result<RedisAddress, RedisError> {
            .failure(RedisError(.address(explanation), address: shown(url)))
        }
        if url.utf8.contains(0) { return failure("the URL contains a NUL") }
        if let rest = url.dropping("unix://") {
            let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let path = decoded(parts[0])
            guard let path, path.hasPrefix("/") else { return failure("a Unix socket has an absolute path") }
            var address = RedisAddress(socket: .unix(path: path))
            for part in parts.count > 1 ? parts[1].split(separator: "&") : [] {
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, let value = decoded(pair[1]) else { return failure("unknown option") }
                switch pair[0] {
                case "db":
                    guard let database = Int(value), database >= 0 else { return failure(noDatabase) }
                    address.database = database
                case "user": address.user = value
                case "password": address.password = value
                default: return failure("unknown option: use db, user or password")
                }
            }
            return .success(address)
        }
        if url.hasPrefix("rediss://") { return failure("TLS is not supported: connect through a local proxy") }
        guard var rest = url.dropping("redis://") else { return failure(form) }
        var login: Substring?
        // The last one: an unescaped password may contain it.
        if let end = rest.lastIndex(of: "@") {
            login = rest[..<end]
            rest = rest[rest.index(after: end)...]
        }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let socket = hostAndPort(parts[0]) else { return failure("the host or the port is missing or wrong") }
        var address = RedisAddress(socket: socket)
        if parts.count > 1, !parts[1].isEmpty {
            guard let database = Int(parts[1]), database >= 0 else { return failure(noDatabase) }
            address.database = database
        }
        if let login {
            let words = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = decoded(words[0]), words.count > 1, let password = decoded(words[1]) else {
                return failure("a login has the form user:password, with % for what is escaped")
            }
            address.user = user.isEmpty ? nil : user
            address.password = password
        }
        return .success(address)
    }

    private static let form = "not a URL of the form redis://user:password@host:port/database"
    private static let noDatabase = "a database has a number from 0"

    /// A URL for messages, without a login.
    private static func shown(_ url: String) -> String {
        let end = url.lastIndex(of: "@").map { url.index(after: $0) }
        let query = url.firstIndex(of: "?") ?? url.endIndex
        let begin = end ?? url.startIndex
        return "\"\(begin < query ? String(url[begin..<query]) : "")\""
    }

    private static func hostAndPort(_ text: Substring) -> SocketAddress? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            rest = text[colon...]
        }
        if rest.isEmpty { return host.isEmpty ? nil : .tcp(host: String(host), port: 6379) }
        guard rest.first == ":", let port = Int(rest.dropFirst()), 1...65_535 ~= port, !host.isEmpty else {
            return nil
        }
        return .tcp(host: String(host), port: port)
    }

    /// Replaces what is escaped with `%`.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            // A percent sign that escapes nothing is one.
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
