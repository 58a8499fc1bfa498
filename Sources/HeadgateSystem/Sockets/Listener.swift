import Headgate
import HeadgateEngine
import Synchronization

/// Publishes the connections that others open to a port or to a Unix socket.
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
/// Every subscriber opens a socket of its own, at its first demand; ``bind()`` opens one ahead, which the first subscriber takes
/// over. The file of a Unix socket is removed with the socket.
///
/// - **Demand**: accepts one client for each connection requested. Others wait in the system's backlog, and clients beyond that
///   are kept waiting or refused by the system.
/// - **Completion**: never finishes. Fails with a ``SystemError``: the address is in use (`EADDRINUSE`), is not one of this machine
///   (`EADDRNOTAVAIL`) or is not allowed (`EACCES`), the path is too long (`ENAMETOOLONG`), or no descriptor is left (`EMFILE`)
///   unless ``DescriptorShortage/refuse`` is chosen. At `cancel()` the socket is closed, and who waits in its backlog is reset;
///   connections that were published stay.
/// - **Complexity**: some three system calls for each connection.
public final class Listener: Publisher, Sendable {
    /// Connections.
    public typealias Output = Connection

    /// What goes wrong with sockets.
    public typealias Failure = SystemError

    private let place: SocketAddress
    private let backlog: Int
    private let reusesAddress: Bool
    private let options: SocketOptions
    private let shortage: DescriptorShortage
    private let calls: SystemCalls
    private let state = Guarded(State())
    private let refusals = Atomic(0)

    private struct State {
        /// What was opened ahead.
        var bound: ListeningSocket?
        var address: SocketAddress?
    }

    /// Names a port to listen on.
    ///
    /// - Parameters:
    ///   - port: The port; zero has the system choose one. A number outside 0 to 65,535 traps.
    ///   - host: The name or number of one of this machine's addresses, `"0.0.0.0"` for all of IPv4 and `"::"` for all: the
    ///     machine itself and nobody else where nothing is said.
    ///   - backlog: How many clients may wait to be accepted; the system may allow fewer. Less than one traps.
    ///   - reusesAddress: Whether a port may be used though connections of an earlier process are still being wound up.
    ///   - options: How the system treats the connections.
    ///   - shortage: What becomes of a client for whom no descriptor is left.
    public convenience init(
        port: Int, host: String = "127.0.0.1", backlog: Int = 1024, reusesAddress: Bool = true,
        options: SocketOptions = SocketOptions(), whenOutOfDescriptors shortage: DescriptorShortage = .fail
    ) {
        self.init(
            .tcp(host: host, port: port), backlog: backlog, reusesAddress: reusesAddress, options: options,
            whenOutOfDescriptors: shortage)
    }

    /// Names a path for a Unix socket to listen on.
    ///
    /// - Parameters:
    ///   - path: Where the file of the socket is made. It can have some hundred bytes.
    ///   - backlog: How many clients may wait to be accepted; the system may allow fewer. Less than one traps.
    ///   - reusesAddress: Whether the file of a socket on which nobody listens any more is replaced.
    ///   - options: How the system treats the connections.
    ///   - shortage: What becomes of a client for whom no descriptor is left.
    public convenience init(
        path: String, backlog: Int = 1024, reusesAddress: Bool = true, options: SocketOptions = SocketOptions(),
        whenOutOfDescriptors shortage: DescriptorShortage = .fail
    ) {
        self.init(
            .unix(path: path), backlog: backlog, reusesAddress: reusesAddress, options: options,
            whenOutOfDescriptors: shortage)
    }

    package init(
        _ place: SocketAddress, backlog: Int = 1024, reusesAddress: Bool = true,
        options: SocketOptions = SocketOptions(), whenOutOfDescriptors shortage: DescriptorShortage = .fail,
        calls: SystemCalls = .live
    ) {
        if let port = place.port, !(0...65_535).contains(port) {
            programmerError(
                rule: "A port is a number from 0 to 65,535.", found: "\(port)",
                remedy: "Pass 0 to have the system choose one.")
        }
        if backlog < 1 {
            programmerError(
                rule: "A backlog has room for one client at least.", found: "\(backlog)",
                remedy: "Leave the default of 1024.")
        }
        self.place = place
        self.backlog = backlog
        self.reusesAddress = reusesAddress
        self.options = options
        self.shortage = shortage
        self.calls = calls
    }

    /// The address that the system has given the socket which was opened last, with the port that it has chosen for zero; `nil`
    /// before one was opened.
    public var address: SocketAddress? { state.withLock { $0.address } }

    /// How many clients were sent away because there was no descriptor for them.
    public var refusedCount: Int { refusals.load(ordering: .relaxed) }

    /// Opens the socket now, for whoever wants to know its address, or that it can be had, before anybody subscribes.
    ///
    /// From then on clients wait in its backlog. Does nothing more where it was called before and nobody has subscribed since.
    /// Looks the host up on the calling thread, where it is a name.
    ///
    /// ```swift
    /// let listener = Listener(port: 0)
    /// print(try listener.bind())
    /// // 127.0.0.1:…
    /// ```
    ///
    /// - Returns: The address of the socket.
    /// - Throws: As subscribers do.
    @discardableResult public func bind() throws(SystemError) -> SocketAddress {
        if let bound = state.withLock({ $0.bound }) { return bound.address }
        let socket = try open()
        let (address, old) = state.withLock { state in
            if let bound = state.bound { return (bound.address, Optional(socket)) }
            state.bound = socket
            return (socket.address, nil)
        }
        withExtendedLifetime(old) {}
        return address
    }

    /// Connects a subscriber, which opens or takes over the socket when it requests.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        let conduit = PollingConduit<AcceptingSource>(
            name: "Listener", on: .waiting("listener"), to: AnySubscriber(subscriber)
        ) { () throws(SystemError) in
            let bound = self.state.withLock { $0.bound.take() }
            let socket = if let bound { bound } else { try self.open() }
            return try AcceptingSource(
                socket, options: self.options, calls: self.calls,
                onRefusal: self.shortage == .refuse ? { self.refusals.add(1, ordering: .relaxed) } : nil)
        }
        subscriber.receive(subscription: conduit)
    }

    private func open() throws(SystemError) -> ListeningSocket {
        let socket = try ListeningSocket(place, backlog: backlog, reusesAddress: reusesAddress, calls: calls)
        state.withLock { $0.address = socket.address }
        return socket
    }
}

/// What a listener does with a client for whom the process has no descriptor left (`EMFILE`, `ENFILE`).
public enum DescriptorShortage: Hashable, Sendable {
    /// The stream of connections fails; the client waits in the backlog until the socket is closed by that.
    case fail
    /// The client is sent away at once, and counted in ``Listener/refusedCount``. One descriptor is kept in reserve for that.
    /// The stream fails only where another thread takes that one meanwhile.
    case refuse
}
