import HeadgateCore
import HeadgateEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The descriptor of a connection, and the users of its directions.
///
/// Each direction has one user at a time. When both have ended, the descriptor is released here, and closed when its
/// users and the event sources that watch it have released it, too.
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

        /// The descriptor, if both directions have ended.
        mutating func takeUnused() -> Descriptor? {
            if reading == .over, writing == .over { descriptor.take() } else { nil }
        }
    }

    let calls: SystemCalls

    /// The queue on which both directions make their calls and deliver.
    let queue = DeliveryQueue.sharing("connection")

    private let peer: String
    private let state: Guarded<State>

    init(_ descriptor: Descriptor, calls: SystemCalls) {
        peer = descriptor.path ?? ""
        self.calls = calls
        state = Guarded(State(descriptor: descriptor))
    }

    /// Whether one of the sides has reset the connection.
    var wasReset: Bool { state.withLock { $0.wasReset } }

    /// The error to report for a failed call.
    ///
    /// The kernel reports a reset to one call only: the other direction sees a normal end. Both directions make their
    /// calls on one queue, so neither runs between that call and this record of it.
    func outcome(of error: SystemError, in call: String) -> SystemError {
        let wasReset = state.withLock { state in
            if error.code == ECONNRESET { state.wasReset = true }
            return state.wasReset
        }
        return wasReset ? self.error(call, ECONNRESET) : error
    }

    /// Takes a direction into use.
    ///
    /// - Throws: `EBUSY` if it is in use; `ENOTCONN` if it has ended.
    func begin(_ direction: Direction) throws(SystemError) -> Descriptor {
        let (descriptor, use) = state.withLock { state in
            let use = state[direction]
            if use == .free { state[direction] = .taken }
            return (state.descriptor, use)
        }
        if use == .free, let descriptor { return descriptor }
        throw error(direction == .reading ? "recv" : "send", use == .taken ? EBUSY : ENOTCONN)
    }

    /// Releases a direction.
    ///
    /// - Parameter isOver: Whether the direction has ended for good.
    func end(_ direction: Direction, isOver: Bool) {
        let unused = state.withLock { state in
            if state[direction] == .taken { state[direction] = isOver ? .over : .free }
            return state.takeUnused()
        }
        withExtendedLifetime(unused) {}
    }

    /// Ends the writing direction if it is not in use.
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

    /// Resets the connection; its users find out at their next call.
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
