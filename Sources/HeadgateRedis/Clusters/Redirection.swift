/// Where a node says that a key is.
struct Redirection: Hashable, Sendable {
    let slot: HashSlot
    let node: SocketAddress

    /// Whether that is true of this one command: the slot is moving, and the key has.
    let isForOnce: Bool

    /// Reads an answer such as `MOVED 3999 127.0.0.1:6381`; `nil` for any other.
    ///
    /// - Parameter sender: The node that has answered: one that does not know its own host leaves it out.
    init?(_ words: String, from sender: SocketAddress?) {
        let parts = words.split(separator: " ")
        guard parts.count >= 3, parts[0] == "MOVED" || parts[0] == "ASK", let number = UInt16(parts[1]),
            number < HashSlot.count, let colon = parts[2].lastIndex(of: ":"),
            let port = Int(parts[2][parts[2].index(after: colon)...])
        else { return nil }
        var host = parts[2][..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let node = SocketAddress(node: String(host), port: port, toldBy: sender) else { return nil }
        slot = HashSlot(number: number)
        self.node = node
        isForOnce = parts[0] == "ASK"
    }
}

extension SocketAddress {
    /// The address of a node.
    ///
    /// - Parameters:
    ///   - host: Nothing, or a question mark, if the sender does not know it: it is the sender's then.
    init?(node host: String, port: Int, toldBy sender: SocketAddress?) {
        guard 1...65_535 ~= port else { return nil }
        if !host.isEmpty, host != "?" {
            self = .tcp(host: host, port: port)
        } else if case .tcp(let known, _) = sender {
            self = .tcp(host: known, port: port)
        } else {
            return nil
        }
    }
}

extension RedisError {
    /// Whether another node is to be asked.
    var isRedirection: Bool { code == "MOVED" || code == "ASK" }

    func redirection(from sender: SocketAddress?) -> Redirection? {
        guard case .server(let words) = reason else { return nil }
        return Redirection(words, from: sender)
    }
}
