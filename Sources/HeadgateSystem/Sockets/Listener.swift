import HeadgateLibC
import Synchronization

/// Publishes the connections that clients open to a port or to a Unix socket.
///
/// ```
/// listener  ---c------c--c---
/// ```
///
/// ```swift no-run
/// let listener = Listener(port: 8080)
/// let serving = listener.sink(
///     receiveCompletion: { print($0) },
///     receiveValue: { connection in
///         connection.lines().map { "you said \($0)" }.write(to: connection, terminator: "\n") { _ in }
///     })
/// ```
///
/// Each subscriber opens a socket of its own, at its first demand; ``bind()`` opens one early, which the first
/// subscriber takes over. The file of a Unix socket is removed with the socket.
///
/// - **Demand**: accepts one client per connection requested. Others wait in the system's backlog; beyond that, the
///   system delays or refuses them.
/// - **Completion**: never finishes. Fails with a ``SystemError``: the address is in use (`EADDRINUSE`), is not one of
///   this machine (`EADDRNOTAVAIL`) or is not allowed (`EACCES`), the path is too long (`ENAMETOOLONG`), or no
///   descriptor is left for the socket (`EMFILE`); for a client, only if ``DescriptorShortage/fail`` is chosen. At
///   `cancel()` the socket is closed, and clients in its backlog are reset; published connections stay.
/// - **Threads**: connections and a failure are delivered on a queue of the subscription's own.
/// - **Complexity**: about three system calls per connection.
public final class Listener: Publisher, Sendable {
    /// The type of the published values.
    public typealias Output = Connection

    /// The type of error that the stream may fail with.
    public typealias Failure = SystemError

    private let open: @Sendable () throws(SystemError) -> ListeningSocket
    private let options: SocketOptions
    private let shortage: DescriptorShortage
    private let calls: SystemCalls
    private let state = Guarded(State())
    private let refusals = Atomic(0)

    private struct State {
        /// The socket that `bind()` has opened.
        var bound: ListeningSocket?
        var address: SocketAddress?
    }

    /// Creates a listener for a port.
    ///
    /// - Parameters:
    ///   - port: The port; with zero the system chooses one. A number outside 0 to 65,535 is a failure (`EINVAL`).
    ///   - host: The name or number of one of this machine's addresses, `"0.0.0.0"` for all of IPv4 and `"::"` for all;
    ///     by default only this machine can connect.
    ///   - backlog: How many clients may wait to be accepted; the system may allow fewer. Less than one traps.
    ///   - reusesAddress: Whether to use a port while connections of an earlier process are still in `TIME_WAIT`.
    ///   - sharesPort: Whether others of the same user that do so, too, may listen on the port (`SO_REUSEPORT`): the system
    ///     divides the clients between them.
    ///   - options: The options of the connections.
    ///   - shortage: What happens to a client for which no descriptor is left.
    public convenience init(
        port: Int, host: String = "127.0.0.1", backlog: Int = 1024, reusesAddress: Bool = true,
        sharesPort: Bool = false, options: SocketOptions = SocketOptions(),
        whenOutOfDescriptors shortage: DescriptorShortage = .refuse
    ) {
        self.init(
            .tcp(host: host, port: port), backlog: backlog, reusesAddress: reusesAddress, sharesPort: sharesPort,
            options: options, whenOutOfDescriptors: shortage)
    }

    /// Creates a listener for a Unix socket.
    ///
    /// - Parameters:
    ///   - path: Where to create the socket's file; at most some hundred bytes.
    ///   - backlog: How many clients may wait to be accepted; the system may allow fewer. Less than one traps.
    ///   - reusesAddress: Whether to replace the file of a socket on which no process listens any more.
    ///   - permissions: Who may connect: those that may write to the file. `nil` for all that the process's file mode
    ///     creation mask leaves. The file has never more than these.
    ///   - options: The options of the connections.
    ///   - shortage: What happens to a client for which no descriptor is left.
    public convenience init(
        path: String, backlog: Int = 1024, reusesAddress: Bool = true, permissions: File.Permissions? = nil,
        options: SocketOptions = SocketOptions(), whenOutOfDescriptors shortage: DescriptorShortage = .refuse
    ) {
        self.init(
            .unix(path: path), backlog: backlog, reusesAddress: reusesAddress, permissions: permissions,
            options: options, whenOutOfDescriptors: shortage)
    }

    package init(
        _ place: SocketAddress, backlog: Int = 1024, reusesAddress: Bool = true, sharesPort: Bool = false,
        permissions: File.Permissions? = nil, options: SocketOptions = SocketOptions(),
        whenOutOfDescriptors shortage: DescriptorShortage = .refuse,
        calls: SystemCalls = .live
    ) {
        require(
            backlog >= 1, rule: "A backlog has room for at least one client.", found: "\(backlog)",
            remedy: "Leave the default of 1024.")
        open = { () throws(SystemError) in
            try ListeningSocket(
                place, backlog: backlog, reusesAddress: reusesAddress, sharesPort: sharesPort,
                permissions: permissions, calls: calls)
        }
        self.options = options
        self.shortage = shortage
        self.calls = calls
    }

    /// The address of the most recently opened socket, with the port that the system has chosen for zero; `nil` before
    /// one was opened.
    public var address: SocketAddress? { state.withLock { $0.address } }

    /// How many clients were refused because no descriptor was left for them.
    public var refusedCount: Int { refusals.load(ordering: .relaxed) }

    /// Opens the socket now, to learn its address, or to detect a failure, before there is a subscriber.
    ///
    /// From then on clients wait in its backlog. A second call does nothing more until a subscriber has taken the
    /// socket. Looks up a host name on the calling thread.
    ///
    /// ```swift
    /// let listener = Listener(port: 0)
    /// print(try listener.bind())
    /// // 127.0.0.1:…
    /// ```
    ///
    /// - Returns: The address of the socket.
    /// - Throws: The errors that subscribers receive.
    @discardableResult public func bind() throws(SystemError) -> SocketAddress {
        if let bound = state.withLock({ $0.bound }) { return bound.address }
        let socket = try open()
        return state.withLock { state in
            if let bound = state.bound { return bound.address }
            state.bound = socket
            state.address = socket.address
            return socket.address
        }
    }

    /// Connects a subscriber; its first demand opens the socket or takes over the bound one.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { serve(AnySubscriber(subscriber)) }

    @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
        PollingPublisher(name: "Listener", on: { .waiting("listener") }) { () throws(SystemError) in
            let bound = self.state.withLock { $0.bound.take() }
            let socket = if let bound { bound } else { try self.open() }
            self.state.withLock { $0.address = socket.address }
            return AcceptingSource(
                socket, options: self.options, calls: self.calls,
                onRefusal: self.shortage == .refuse ? { self.refusals.add(1, ordering: .relaxed) } : nil)
        }
        .serve(subscriber)
    }
}

extension Listener {
    /// Creates a listener for a socket that already listens: one that another process has opened and handed over.
    ///
    /// The first subscriber takes the socket over, and closes it; a second one opens one of its own for the same address.
    /// The file of a Unix socket stays: it belongs to the process that has made it.
    ///
    /// ```swift no-run
    /// for listener in try Listener.activated() { print(try listener.bind()) }
    /// ```
    ///
    /// - Parameters:
    ///   - descriptor: The number of a listening socket that nobody else in this process uses.
    ///   - options: The options of the connections.
    ///   - shortage: What happens to a client for which no descriptor is left.
    /// - Throws: `EBADF` if it is not open, `ENOTSOCK` if it is no socket, `EINVAL` if it does not listen.
    public convenience init(
        adopting descriptor: Int32, options: SocketOptions = SocketOptions(),
        whenOutOfDescriptors shortage: DescriptorShortage = .refuse
    ) throws(SystemError) {
        let socket = try ListeningSocket(adopting: descriptor, calls: .live)
        self.init(socket.address, options: options, whenOutOfDescriptors: shortage)
        state.withLock { state in
            state.bound = socket
            state.address = socket.address
        }
    }

    #if os(Linux)
        /// The listeners for the sockets that the service manager has opened for this process, such as systemd for a
        /// `.socket` unit; none if it was started otherwise.
        ///
        /// Call it once, before the process starts others.
        public static func activated(options: SocketOptions = SocketOptions()) throws(SystemError) -> [Listener] {
            func number(_ name: String) -> Int32? { getenv(name).flatMap { Int32(String(cString: $0)) } }
            guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count > 0 else { return [] }
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
            var listeners: [Listener] = []
            for descriptor in 3..<(3 + count) {
                listeners.append(try Listener(adopting: descriptor, options: options))
            }
            return listeners
        }
    #endif
}

/// What a listener does with a client when the process has no descriptor left (`EMFILE`, `ENFILE`).
public enum DescriptorShortage: Hashable, Sendable {
    /// The stream of connections fails; the client waits in the backlog until that closes the socket.
    case fail
    /// The client is disconnected immediately, and counted in ``Listener/refusedCount``. One descriptor is kept in
    /// reserve for that. If there is none, or another thread takes it meanwhile, the client waits in the backlog.
    case refuse
}
