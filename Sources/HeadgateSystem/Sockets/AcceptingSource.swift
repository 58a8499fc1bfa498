import HeadgateLibC

/// The clients of a listening socket: one `accept` per connection requested.
final class AcceptingSource: PolledSource {
    var descriptor: Descriptor { listening.descriptor }

    private let listening: ListeningSocket
    private let options: SocketOptions
    private let calls: SystemCalls
    // Closed for the moment that it takes to refuse a client, when no descriptor is left.
    private var reserve: Descriptor?
    private let onRefusal: (() -> Void)?

    /// - Parameter onRefusal: Called for every client refused for lack of a descriptor; without it, that is a failure.
    init(
        _ listening: ListeningSocket, options: SocketOptions, calls: SystemCalls, onRefusal: (() -> Void)?
    ) {
        self.listening = listening
        self.options = options
        self.calls = calls
        self.onRefusal = onRefusal
        // Without it, clients wait in the backlog until there is a descriptor.
        if onRefusal != nil { reserve = try? openReserve() }
    }

    func poll() throws(SystemError) -> Poll<Connection> {
        while true {
            do throws(SystemError) {
                guard let client = try calls.accept(descriptor) else { return .pending }
                if let connection = connection(client) { return .value(connection) }
            } catch  where error.code == EMFILE || error.code == ENFILE {
                if try !refuse(error) { return .postponed }
            } catch  where error.concernsOneClient {
                continue
            }
        }
    }

    /// Creates a connection from an accepted socket, or `nil` if its client has gone.
    private func connection(_ client: (number: Int32, address: SocketAddress)) -> Connection? {
        let name = client.address == .unix(path: "") ? listening.address : client.address
        let descriptor = Descriptor(owning: client.number, path: "\(name)", calls: calls)
        return try? Connection(descriptor, remote: client.address, options: options, calls: calls)
    }

    /// Accepts a client and closes its socket, because a waiting client would keep the listening socket readable.
    ///
    /// - Returns: Whether that succeeded. Another thread may take the reserve's number while it is free; the client
    ///   then stays in the backlog.
    private func refuse(_ shortage: SystemError) throws(SystemError) -> Bool {
        guard let onRefusal else { throw shortage }
        reserve = nil
        defer { reserve = try? openReserve() }
        do throws(SystemError) {
            guard let client = try calls.accept(descriptor) else { return true }
            try Descriptor(owning: client.number, path: "\(client.address)", calls: calls).close()
            onRefusal()
            return true
        } catch  where error.code == EMFILE || error.code == ENFILE {
            return false
        } catch  where error.concernsOneClient {
            return true
        }
    }

    private func openReserve() throws(SystemError) -> Descriptor { try calls.open("/dev/null", O_RDONLY) }
}

extension SystemError {
    /// Whether the error concerns a client that is gone, and not the listening socket.
    fileprivate var concernsOneClient: Bool {
        #if os(Linux)
            // Linux reports pending network errors of a connection from `accept`.
            let codes = [
                ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH,
                EPERM,
            ]
        #else
            let codes = [ECONNABORTED, EPROTO]
        #endif
        return call == "accept" && codes.contains(code)
    }
}
