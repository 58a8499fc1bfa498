@preconcurrency import Dispatch
import HeadgateLibC
import Synchronization

/// Tries the addresses of a host in order until one accepts.
// Everything but `isOver` belongs to the queue.
final class Connector: @unchecked Sendable {
    private let queue = DeliveryQueue.waiting("connecting")
    private let target: SocketAddress
    private let options: SocketOptions
    private let calls: SystemCalls
    private let isOver = Atomic(false)

    private var addresses: ArraySlice<KernelAddress> = []
    private var attempt: Descriptor?
    private var readiness: Readiness?
    private var problem: SystemError?
    private var onEnd: ((Result<Connection, SystemError>) -> Void)?

    /// - Parameter onEnd: Called once, on a queue of the connector, unless cancelled.
    init(
        to target: SocketAddress, options: SocketOptions, calls: SystemCalls,
        onEnd: @escaping (Result<Connection, SystemError>) -> Void
    ) {
        self.target = target
        self.options = options
        self.calls = calls
        self.onEnd = onEnd
    }

    func begin() {
        queue.run {
            if self.isOver.load(ordering: .relaxed) { return }
            do throws(SystemError) {
                try self.target.checkPort(1...65_535, for: "connect")
                self.addresses = try self.calls.resolve(self.target)[...]
                self.tryNext()
            } catch {
                self.end(.failure(error))
            }
        }
    }

    func cancel() {
        isOver.store(true, ordering: .relaxed)
        queue.run(release)
    }

    private func tryNext() {
        while !isOver.load(ordering: .relaxed), let address = addresses.popFirst() {
            do throws(SystemError) {
                let socket = try calls.socket(address.family, for: "\(address.address)")
                attempt = socket
                if try calls.connect(socket, to: address) { return try succeed(socket) }
                let readiness = Readiness(of: socket, for: .writing, on: queue)
                self.readiness = readiness
                return readiness.wait { self.check(socket) }
            } catch  where error.code == EAGAIN && error.call == "connect" && address.family == AF_UNIX {
                return waitForBacklog(address)
            } catch {
                problem = named(error)
            }
        }
        end(.failure(problem ?? SystemError(call: "connect", code: EHOSTUNREACH, subject: "\(target)")))
    }

    private func check(_ socket: Descriptor) {
        readiness = nil
        do throws(SystemError) {
            try calls.checkConnected(socket)
            try succeed(socket)
        } catch {
            problem = named(error)
            tryNext()
        }
    }

    /// No event reports that the full backlog of a Unix socket has room; only a blocking `connect` does, here for 50
    /// ms.
    private func waitForBacklog(_ address: KernelAddress) {
        guard let socket = attempt, !isOver.load(ordering: .relaxed) else { return }
        do throws(SystemError) {
            let flags = fcntl(socket.number, F_GETFL)
            _ = fcntl(socket.number, F_SETFL, flags & ~O_NONBLOCK)
            var timeout = timeval(tv_sec: 0, tv_usec: 50_000)
            setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            guard try calls.connect(socket, to: address) else { return queue.run { self.waitForBacklog(address) } }
            try calls.makeNonBlocking(socket)
            try succeed(socket)
        } catch  where error.code == EAGAIN && error.call == "connect" {
            queue.run { self.waitForBacklog(address) }
        } catch {
            end(.failure(named(error)))
        }
    }

    /// The failure, with the address as the caller passed it.
    private func named(_ error: SystemError) -> SystemError {
        SystemError(call: error.call, code: error.code, subject: "\(target)")
    }

    private func succeed(_ socket: Descriptor) throws(SystemError) {
        end(.success(try Connection(socket, options: options, calls: calls)))
    }

    private func end(_ result: Result<Connection, SystemError>) {
        let onEnd = isOver.exchange(true, ordering: .relaxed) ? nil : self.onEnd
        release()
        onEnd?(result)
    }

    private func release() {
        let old = (attempt.take(), readiness.take(), onEnd.take())
        addresses = []
        withExtendedLifetime(old) {}
    }
}
