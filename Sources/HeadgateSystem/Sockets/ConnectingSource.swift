import HeadgateLibC

/// Tries the addresses of a host in order until one accepts.
final class ConnectingSource: Pollable {
    private enum Attempt {
        /// The socket becomes writable when it is connected, or can't be.
        case begun(Descriptor, Readiness?)
        /// The backlog of a Unix socket is full.
        case waiting(Descriptor, KernelAddress)
    }

    private let target: SocketAddress
    private let options: SocketOptions
    private let calls: SystemCalls
    private var addresses: ArraySlice<KernelAddress>
    private var attempt: Attempt?

    init(to target: SocketAddress, options: SocketOptions, calls: SystemCalls) throws(SystemError) {
        self.target = target
        self.options = options
        self.calls = calls
        try target.checkPort(1...65_535, for: "connect")
        addresses = try calls.resolve(target)[...]
    }

    func poll() throws(SystemError) -> Poll<Connection> {
        var problem = SystemError(call: "connect", code: EHOSTUNREACH, subject: "\(target)")
        while attempt != nil || !addresses.isEmpty {
            do throws(SystemError) {
                guard let socket = try connectedSocket() else {
                    if case .waiting = attempt { return .postponed }
                    return .pending
                }
                return .last(try Connection(socket, options: options, calls: calls))
            } catch {
                // With the address as the caller passed it.
                problem = SystemError(call: error.call, code: error.code, subject: "\(target)")
            }
        }
        throw problem
    }

    /// Goes on with the attempt that is under way, or begins the next one; `nil` if it is not connected yet.
    private func connectedSocket() throws(SystemError) -> Descriptor? {
        switch attempt.take() {
        case .begun(let socket, _):
            try calls.checkConnected(socket)
            return socket
        case .waiting(let socket, let address):
            return try waitForBacklog(socket, address)
        case nil:
            guard let address = addresses.popFirst() else { return nil }
            let socket = try calls.socket(address.family, for: "\(address.address)")
            do throws(SystemError) {
                if try calls.connect(socket, to: address) { return socket }
                attempt = .begun(socket, nil)
                return nil
            } catch  where error.code == EAGAIN && address.family == AF_UNIX {
                return try waitForBacklog(socket, address)
            }
        }
    }

    /// No event reports that the full backlog of a Unix socket has room; only a blocking `connect` does, here for 50
    /// ms.
    private func waitForBacklog(_ socket: Descriptor, _ address: KernelAddress) throws(SystemError) -> Descriptor? {
        let flags = fcntl(socket.number, F_GETFL)
        _ = fcntl(socket.number, F_SETFL, flags & ~O_NONBLOCK)
        var timeout = timeval(tv_sec: 0, tv_usec: 50_000)
        setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        do throws(SystemError) {
            if try calls.connect(socket, to: address) {
                try calls.makeNonBlocking(socket)
                return socket
            }
        } catch  where error.code == EAGAIN && error.call == "connect" {
            // Still full.
        }
        attempt = .waiting(socket, address)
        return nil
    }

    func waiting(on queue: DeliveryQueue) -> PollingWait {
        { [self] onReady in
            guard case .begun(let socket, _) = attempt else { return }
            let readiness = Readiness(of: socket, for: .writing, on: queue)
            attempt = .begun(socket, readiness)
            readiness.wait(onReady)
        }
    }
}
