import Glibc
import HeadgateCore
import Synchronization

/// Stands between clients and a server, and cuts, splits, slows or swallows what passes.
///
/// Made of blocking sockets and threads of its own, so that it disturbs at any byte whatever is tested, the sockets of
/// this package included.
public final class FaultProxy: Sendable {
    /// What happens to the bytes of one direction of a connection.
    public enum Fault: Sendable {
        case none
        /// The connection is reset after so many bytes.
        case cut(after: Int)
        /// The bytes arrive in chunks of this size.
        case split(Int)
        /// Nothing passes after so many bytes, and the connection stays open.
        case stall(after: Int)
        /// So many bytes pass in a second.
        case throttle(Int)
        /// The client's connection is reset after so many bytes, and the server receives the rest later: to it, the
        /// connection remains open.
        case late(after: Int)
        /// The server does not learn that the client's connection is reset.
        case unnoticed
        /// Texts are replaced by others of the same lengths wherever they arrive in one piece.
        case rewrite([String: String])

        var isUnnoticed: Bool {
            switch self {
            case .late, .unnoticed: true
            case .none, .cut, .split, .stall, .throttle, .rewrite: false
            }
        }
    }

    /// Where a server listens.
    public enum Place: Sendable {
        case path(String)
        /// On the loopback interface.
        case port(UInt16)
    }

    /// What happens to the connection with this number, from one.
    public typealias Plan = @Sendable (Int) -> (requests: Fault, replies: Fault)

    private struct State {
        var connections: [ProxyConnection] = []
        var count = 0
        var lateEnds = 0
        var isClosed = false
    }

    /// Where clients connect to.
    public let path: String
    private let target: Place
    private let plan: Plan
    private let listener: Int32
    private let state = Guarded(State())
    private let swallows = Atomic(false)

    /// Listens at a path of its own, until it is closed.
    public init(at path: String, to target: Place, plan: @escaping Plan = { _ in (.none, .none) }) {
        self.path = path
        self.target = target
        self.plan = plan
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withUnixAddress(path) { bind(listener, $0, $1) == 0 && listen(listener, 500) == 0 }
        precondition(isBound, "\(path) can't be listened at: \(errno)")
        onThread { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else { return _ = Glibc.close(client) }
                self.serve(client)
            }
        }
    }

    deinit { close() }

    /// How many connections there have been.
    public var count: Int { state.withLock { $0.count } }

    /// How many connections that deliver something late the server has closed: nothing arrives by them any more.
    public var lateEnds: Int { state.withLock { $0.lateEnds } }

    /// Whether nothing passes, in either direction, while all connections stay open.
    public var isBlackHole: Bool {
        get { swallows.load(ordering: .sequentiallyConsistent) }
        set { swallows.store(newValue, ordering: .sequentiallyConsistent) }
    }

    private func serve(_ client: Int32) {
        let number: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.count += 1
            return state.count
        }
        guard let number, let server = connect() else { return reset(client) }
        let plan = plan(number)
        let connection = ProxyConnection(client, server)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.connections.append(connection) }
            return state.isClosed
        }
        if isClosed { connection.cut() }
        let isUnnoticed = plan.requests.isUnnoticed
        onThread { self.pump(connection, fromClient: true, plan.requests, isUnnoticed) }
        onThread { self.pump(connection, fromClient: false, plan.replies, isUnnoticed) }
    }

    private func connect() -> Int32? {
        let (socket, isOpen): (Int32, Bool)
        switch target {
        case .path(let path):
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            isOpen = withUnixAddress(path) { Glibc.connect(socket, $0, $1) == 0 }
        case .port(let port):
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            isOpen = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        if isOpen { return socket }
        Glibc.close(socket)
        return nil
    }

    /// Passes on what arrives in one direction, until it ends.
    private func pump(_ connection: ProxyConnection, fromClient: Bool, _ fault: Fault, _ isUnnoticed: Bool) {
        let source = fromClient ? connection.client : connection.server
        let target = fromClient ? connection.server : connection.client
        var passed = 0
        var room = 1 << 16
        if case .throttle(let rate) = fault { room = max(1, min(room, rate / 100)) }
        var buffer = [UInt8](repeating: 0, count: room)
        reading: while case let count = recv(source, &buffer, room, 0), count > 0 {
            while isBlackHole, !connection.isCut { usleep(1_000) }
            let chunk = buffer[..<count]
            switch fault {
            case .none, .unnoticed: if !write(chunk, to: target) { break reading }
            case .rewrite(let texts):
                let new = texts.reduce(chunk) { $0.replacing($1.key.utf8, with: $1.value.utf8) }
                if !write(new, to: target) { break reading }
            case .throttle(let rate):
                if !write(chunk, to: target) { break reading }
                usleep(UInt32(1_000_000 * count / rate))
            case .split(let size):
                for start in stride(from: 0, to: count, by: size) {
                    if !write(chunk[start..<min(count, start + size)], to: target) { break reading }
                }
            case .cut(let most):
                _ = write(chunk.prefix(max(0, most - passed)), to: target)
                if passed + count >= most { break reading }
            case .stall(let most): _ = write(chunk.prefix(max(0, most - passed)), to: target)
            case .late(let most):
                let first = chunk.prefix(max(0, most - passed))
                _ = write(first, to: target)
                if passed + count > most {
                    connection.cutClient()
                    usleep(100_000)
                    _ = write(chunk.dropFirst(first.count), to: target)
                    break reading
                }
            }
            passed += count
        }
        if !isUnnoticed {
            connection.cut()
        } else if !fromClient {
            // The server has ended it.
            state.withLock { $0.lateEnds += 1 }
            connection.cut()
        }
        connection.release()
    }

    private func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }

    /// Resets all connections.
    public func cutAll() { for connection in takeConnections() { connection.cut() } }

    /// Resets the clients' connections; the server does not learn of it where the plan is `unnoticed`.
    public func cutClients() { for connection in state.withLock({ $0.connections }) { connection.cutClient() } }

    private func takeConnections() -> [ProxyConnection] {
        state.withLock { state in
            defer { state.connections = [] }
            return state.connections
        }
    }

    /// Resets all connections, and accepts no others.
    public func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        cutAll()
        if !isFirst { return }
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        unlink(path)
    }
}

/// The two sockets of a connection, closed when both directions have ended.
private final class ProxyConnection: Sendable {
    let client: Int32
    let server: Int32
    private let state = Guarded((directions: 2, isCut: false))

    init(_ client: Int32, _ server: Int32) {
        self.client = client
        self.server = server
    }

    var isCut: Bool { state.withLock { $0.isCut } }

    func cut() {
        state.withLock { state in
            state.isCut = true
            if state.directions == 0 { return }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    func cutClient() {
        state.withLock { if $0.directions > 0 { _ = shutdown(client, Int32(SHUT_RDWR)) } }
    }

    /// Called at the end of each direction.
    func release() {
        let isLast = state.withLock { state in
            state.directions -= 1
            return state.directions == 0
        }
        if !isLast { return }
        reset(client)
        reset(server)
    }
}

private func reset(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    Glibc.close(socket)
}

private func onThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Body(body)).toOpaque()
    pthread_create(
        &thread, nil,
        { box in
            Unmanaged<Body>.fromOpaque(box!).takeRetainedValue().body()
            return nil
        }, box)
    pthread_detach(thread)
}

private final class Body: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}
