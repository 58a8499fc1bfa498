import HeadgateEngine
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The clients of a listening socket: one `accept` for each connection requested.
final class AcceptingSource: PolledSource {
    var descriptor: Descriptor { listening.descriptor }

    private let listening: ListeningSocket
    private let options: SocketOptions
    private let calls: SystemCalls
    // Given up for the time that it takes to send a client away, where no descriptor is left.
    private var reserve: Descriptor?
    private let onRefusal: (() -> Void)?

    /// - Parameter onRefusal: Told of every client that is sent away for want of a descriptor; without it that is a failure.
    init(
        _ listening: ListeningSocket, options: SocketOptions, calls: SystemCalls, onRefusal: (() -> Void)?
    ) throws(SystemError) {
        self.listening = listening
        self.options = options
        self.calls = calls
        self.onRefusal = onRefusal
        if onRefusal != nil { reserve = try openReserve() }
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

    /// Makes a connection of an accepted socket, or none of one that its client has left already.
    private func connection(_ client: (number: Int32, address: SocketAddress)) -> Connection? {
        let name = client.address == .unix(path: "") ? listening.address : client.address
        let descriptor = Descriptor(owning: client.number, path: "\(name)", calls: calls)
        do {
            let local = try calls.localAddress(of: descriptor)
            try calls.apply(options, to: descriptor, isTCP: local.port != nil)
            return Connection(descriptor, local: local, remote: client.address, calls: calls)
        } catch {
            return nil
        }
    }

    /// Takes a client in and sends it away at once, for it would keep the listening socket readable for ever.
    ///
    /// - Returns: Whether that was possible. The place of the reserve may be taken in the moment in which it is free; the
    ///   client waits in the backlog then.
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
    /// Whether it is about a client that has gone, and not about the listening socket.
    fileprivate var concernsOneClient: Bool {
        #if os(Linux)
            // Linux tells what has befallen a connection in the network when it is accepted.
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
