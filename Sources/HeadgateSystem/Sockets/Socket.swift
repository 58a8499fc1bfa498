import HeadgateEngine
import HeadgateLibC
import Synchronization

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
        /// Why the connection has failed.
        var failure: Int32?
        /// Whether the reader has been told that nothing more can be read.
        var hasReportedEnd = false
        #if os(Linux)
            var hangUps: HangUpWatch.Ticket?
        #endif
        var reader: Reader?
        var writer: Writer?

        subscript(direction: Direction) -> Use {
            get { direction == .reading ? reading : writing }
            set { if direction == .reading { reading = newValue } else { writing = newValue } }
        }

        /// The descriptor, if both directions have ended.
        mutating func takeUnused() -> Descriptor? {
            if reading == .over, writing == .over { descriptor.take() } else { nil }
        }
    }

    /// Called when nothing more can be read.
    private struct Reader { let onEnd: @Sendable (Subscribers.Completion<SystemError>) -> Void }

    /// Called when nothing more can be written.
    private struct Writer { let onLoss: @Sendable (SystemError) -> Void }

    let calls: SystemCalls

    /// The queue on which both directions make their calls and deliver.
    let queue = DeliveryQueue.sharing("connection")

    private let peer: String
    private let state: Guarded<State>
    private let isHalfClosed = Atomic(false)

    /// How many bytes the kernel has accepted.
    let sent = Atomic(0)

    /// Whether the other side acknowledges what it has got.
    let isTCP: Bool

    init(_ descriptor: Descriptor, isTCP: Bool, calls: SystemCalls) {
        self.isTCP = isTCP
        peer = descriptor.path ?? ""
        self.calls = calls
        state = Guarded(State(descriptor: descriptor))
    }

    /// The descriptor, unless the connection is over.
    var descriptor: Descriptor? { state.withLock { $0.descriptor } }

    /// Why the connection has failed, if it has.
    var failure: Int32? { state.withLock { $0.failure } }

    /// Whether the other side is known to have sent its last byte; some may be unread.
    var isEnding: Bool { isHalfClosed.load(ordering: .relaxed) }

    /// The error to report for a failed call.
    ///
    /// The kernel reports a reset to one call only: the other direction sees a normal end. Both directions make their
    /// calls on one queue, so neither runs between that call and this record of it.
    func outcome(of error: SystemError, in call: String) -> SystemError {
        let code = state.withLock { state in
            if error.code == ECONNRESET { state.failure = ECONNRESET }
            return state.failure
        }
        return code.map { self.error(call, $0) } ?? error
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
        if use == .free, let descriptor {
            watchHangUps(of: descriptor)
            return descriptor
        }
        throw error(direction == .reading ? "recv" : "send", use == .taken ? EBUSY : ENOTCONN)
    }

    /// Releases a direction.
    ///
    /// - Parameter isOver: Whether the direction has ended for good.
    func end(_ direction: Direction, isOver: Bool) {
        let old = state.withLock { state -> (Descriptor?, Reader?, Writer?) in
            let isOver = isOver || direction == .reading && state.hasReportedEnd
            if state[direction] == .taken { state[direction] = isOver ? .over : .free }
            let (reader, writer) =
                direction == .reading ? (state.reader.take(), nil) : (nil, state.writer.take())
            return (state.takeUnused(), reader, writer)
        }
        withExtendedLifetime(old) {}
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
            state.failure = ECONNRESET
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
    func apply(_ options: SocketOptions) throws(SystemError) {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw error("setsockopt", ENOTCONN) }
        try calls.apply(options, to: descriptor, isTCP: isTCP)
    }

    #if os(Linux)
        /// The process at the other end, while there is a connection.
        func credentials() throws(SystemError) -> PeerCredentials {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw error("getsockopt", ENOTCONN) }
            if isTCP { throw error("getsockopt", EOPNOTSUPP) }
            return try calls.credentials(of: descriptor)
        }
    #endif
}

extension Socket {
    /// Calls back, on the queue, when it becomes known without a call that nothing more can be read.
    func watchEnd(_ onEnd: @escaping @Sendable (Subscribers.Completion<SystemError>) -> Void) {
        state.withLock { $0.reader = Reader(onEnd: onEnd) }
    }

    /// Calls back, on the queue, when it becomes known without a call that nothing more can be written.
    func watchLoss(_ onLoss: @escaping @Sendable (SystemError) -> Void) {
        state.withLock { $0.writer = Writer(onLoss: onLoss) }
    }

    /// Whether nothing more comes and everything that has come is read.
    func hasNothingLeft(_ descriptor: Descriptor) throws(SystemError) -> Bool { try calls.peek(descriptor) == 0 }

    /// Registers the connection for resets and half-closes, once.
    private func watchHangUps(of descriptor: Descriptor) {
        #if os(Linux)
            if state.withLock({ $0.hangUps != nil }) { return }
            let ticket = HangUpWatch.shared.watch(descriptor) { [weak self] in
                guard let self else { return }
                queue.run { self.takeHangUp() }
            }
            let old = state.withLock { exchange(&$0.hangUps, with: ticket) }
            withExtendedLifetime(old) {}
        #endif
    }

    /// Finds out what the other side has done, and notifies the users of both directions; called on the queue.
    private func takeHangUp() {
        guard let descriptor = state.withLock({ $0.descriptor }),
            let events = try? calls.readyEvents(of: descriptor, among: 0)
        else { return }
        isHalfClosed.store(true, ordering: .relaxed)
        if events & Int32(POLLERR | POLLHUP) != 0 {
            let code = (try? calls.pendingError(of: descriptor)) ?? 0
            let (failure, writer) = state.withLock { state in
                // A reset after the last byte has been received is not a failure of reading.
                if code != 0, code != EPIPE, state.failure == nil { state.failure = code }
                return (state.failure, state.writer)
            }
            writer?.onLoss(error("send", failure ?? EPIPE))
        }
        let failure = state.withLock { $0.failure }
        if failure == nil, (try? hasNothingLeft(descriptor)) != true { return }
        let reader = state.withLock { state in
            state.hasReportedEnd = state.reader != nil
            return state.reader
        }
        reader?.onEnd(failure.map { .failure(error("recv", $0)) } ?? .finished)
    }
}
