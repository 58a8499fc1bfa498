/// Where a server is, and how to log in: what a URL says.
package struct RedisAddress: Sendable {
    /// How a server is found.
    package enum Place: Hashable, Sendable {
        case server(SocketAddress)
        /// The sentinels know which server is the master of this name.
        case master(name: String, sentinels: [SocketAddress])
        /// These nodes of a cluster know the others.
        case cluster([SocketAddress])
    }

    package let place: Place
    package var user: String?
    package var password: String?
    package var database = 0

    /// Another server, with the same user and password.
    func at(_ socket: SocketAddress) -> RedisAddress {
        RedisAddress(place: .server(socket), user: user, password: password)
    }

    /// The address for messages: without user and password.
    package var description: String {
        let server =
            switch place {
            case .server(let socket): "\(socket)"
            case .master(let name, let sentinels):
                "\(name) of " + sentinels.map { "\($0)" }.joined(separator: ",")
            case .cluster(let nodes): "cluster " + nodes.map { "\($0)" }.joined(separator: ",")
            }
        return database == 0 ? server : "\(server)/\(database)"
    }

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
            var address = RedisAddress(place: .server(.unix(path: path)))
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
        let sentinels = url.dropping("redis-sentinel://")
        let nodes = url.dropping("redis-cluster://")
        guard var rest = sentinels ?? nodes ?? url.dropping("redis://") else { return failure(form) }
        var login: Substring?
        // The last one: an unescaped password may contain it.
        if let end = rest.lastIndex(of: "@") {
            login = rest[..<end]
            rest = rest[rest.index(after: end)...]
        }
        var parts = rest.split(separator: "/", maxSplits: sentinels == nil ? 1 : 2, omittingEmptySubsequences: false)
        let hosts =
            sentinels ?? nodes == nil ? [parts[0]] : parts[0].split(separator: ",", omittingEmptySubsequences: false)
        let sockets = hosts.compactMap { hostAndPort($0, port: sentinels == nil ? 6379 : 26_379) }
        guard let first = sockets.first, sockets.count == hosts.count else {
            return failure("the host or the port is missing or wrong")
        }
        var address = RedisAddress(place: .server(first))
        if sentinels != nil {
            guard parts.count > 1, let name = decoded(parts.remove(at: 1)), !name.isEmpty else {
                return failure("sentinels are asked for a name: redis-sentinel://host,host,host/name")
            }
            address = RedisAddress(place: .master(name: name, sentinels: sockets))
        }
        if nodes != nil { address = RedisAddress(place: .cluster(sockets)) }
        if parts.count > 1, !parts[1].isEmpty {
            guard let database = Int(parts[1]), database >= 0 else { return failure(noDatabase) }
            if nodes != nil, database != 0 { return failure("a cluster has no database but 0") }
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

    private static func hostAndPort(_ text: Substring, port standard: Int) -> SocketAddress? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            rest = text[colon...]
        }
        if rest.isEmpty { return host.isEmpty ? nil : .tcp(host: String(host), port: standard) }
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
