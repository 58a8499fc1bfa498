import HeadgateCore
import HeadgateEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The descriptor of a connection, and who uses which direction of it.
///
/// Each direction has one user at a time. When both have ended, the descriptor is released here, and closed when its users
/// and the event sources that watch it have released it, too.
final class Socket: Sendable {
    enum Direction { case reading, writing }

    private enum Use {
        case free
        case taken
        case over
    }

    private struct State {
        var descriptor: Descriptor?
        var reading = Use.free
        var writing = Use.free
        var wasReset = false

        subscript(direction: Direction) -> Use {
            get { direction == .reading ? reading : writing }
            set { if direction == .reading { reading = newValue } else { writing = newValue } }
        }

        /// What nobody needs any more.
        mutating func takeUnused() -> Descriptor? {
            if reading == .over, writing == .over { descriptor.take() } else { nil }
        }
    }

    let calls: SystemCalls

    /// Where both directions make their calls and deliver.
    let queue = DeliveryQueue.sharing("connection")

    private let peer: String
    private let state: Guarded<State>

    init(_ descriptor: Descriptor, calls: SystemCalls) {
        peer = descriptor.path ?? ""
        self.calls = calls
        state = Guarded(State(descriptor: descriptor))
    }

    /// Whether one of the sides has cut the connection off, as far as that is known.
    var wasReset: Bool { state.withLock { $0.wasReset } }

    /// Notes that the other side has cut the connection off.
    func noteReset() { state.withLock { $0.wasReset = true } }

    /// Takes a direction into use.
    ///
    /// - Throws: `EBUSY` where somebody uses it; `ENOTCONN` where it has ended.
    func begin(_ direction: Direction) throws(SystemError) -> Descriptor {
        let (descriptor, use) = state.withLock { state in
            let use = state[direction]
            if use == .free { state[direction] = .taken }
            return (state.descriptor, use)
        }
        if use == .free, let descriptor { return descriptor }
        throw error(direction == .reading ? "recv" : "send", use == .taken ? EBUSY : ENOTCONN)
    }

    /// Gives a direction back.
    ///
    /// - Parameter isOver: Whether nobody can use it any more.
    func end(_ direction: Direction, isOver: Bool) {
        let unused = state.withLock { state in
            if state[direction] == .taken { state[direction] = isOver ? .over : .free }
            return state.takeUnused()
        }
        withExtendedLifetime(unused) {}
    }

    /// Ends the direction that nobody uses.
    func closeWriting() throws(SystemError) {
        let descriptor: Descriptor
        do {
            descriptor = try begin(.writing)
        } catch  where error.code == ENOTCONN {
            return
        }
        defer { end(.writing, isOver: true) }
        try calls.shutDownWriting(descriptor)
    }

    /// Cuts the connection off; who uses it finds out by the next call.
    func reset() {
        let (descriptor, unused) = state.withLock { state in
            state.wasReset = true
            let descriptor = state.descriptor
            if state.reading == .free { state.reading = .over }
            if state.writing == .free { state.writing = .over }
            return (descriptor, state.takeUnused())
        }
        if let descriptor { calls.reset(descriptor) }
        withExtendedLifetime(unused) {}
    }

    func error(_ call: String, _ code: Int32) -> SystemError { SystemError(call: call, code: code, subject: peer) }

    /// Sets options while there is a connection.
    func apply(_ options: SocketOptions, isTCP: Bool) throws(SystemError) {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw error("setsockopt", ENOTCONN) }
        try calls.apply(options, to: descriptor, isTCP: isTCP)
    }
}
