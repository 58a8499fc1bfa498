import HeadgateLibC
import Synchronization

/// A connection over TCP or a Unix socket, with a stream of bytes in each direction.
///
/// A ``Listener`` publishes those that clients have opened; ``connect(to:options:)`` opens one.
///
/// ```swift no-run
/// let echo = Listener(port: 7).sink(
///     receiveCompletion: { print($0) },
///     receiveValue: { connection in connection.bytes().write(to: connection) { print($0) } })
/// ```
///
/// ``bytes(chunkSize:)``, ``lines(maximumLength:terminators:longLines:unterminated:invalid:)``,
/// ``byteLines(maximumLength:terminators:longLines:unterminated:)`` and
/// ``frames(lengthBytes:byteOrder:maximumLength:)`` publish what is received, to one subscriber at a time. `write(to:)`
/// of any publisher of bytes sends, one writer at a time. A second one at the same time fails with the code `EBUSY`, and
/// one after the end of its direction with `ENOTCONN`.
///
/// The descriptor is closed when both directions have ended, or when the connection and the streams that use it are
/// released. Both directions are served on one queue, so a closure that waits for the other direction of the same
/// connection deadlocks; to wait there, move to another thread with `receive(on:)`.
public final class Connection: Sendable, CustomStringConvertible {
    /// The address of this side.
    public let localAddress: SocketAddress

    /// The address of the other side.
    public let remoteAddress: SocketAddress

    enum Direction { case reading, writing }

    private enum Use {
        case free
        case taken
        case over
    }

    // Each direction has one user at a time. When both have ended, the descriptor is released here, and closed when its
    // users and what watches it have released it, too.
    private struct State {
        var descriptor: Descriptor?
        var reading = Use.free
        var writing = Use.free
        /// Why the connection has failed.
        var failure: Int32?
        /// Whether the reader has been told that nothing more can be read.
        var hasReportedEnd = false
        #if os(Linux)
            var hangUps: AnyCancellable?
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

    package init(
        _ descriptor: Descriptor, local: SocketAddress, remote: SocketAddress, calls: SystemCalls
    ) {
        localAddress = local
        remoteAddress = remote
        peer = descriptor.path ?? ""
        self.calls = calls
        state = Guarded(State(descriptor: descriptor))
    }

    /// Creates a connection from a connected socket, and applies options to it.
    convenience init(
        _ descriptor: Descriptor, remote: SocketAddress? = nil, options: SocketOptions, calls: SystemCalls
    ) throws(SystemError) {
        let local = try calls.localAddress(of: descriptor)
        let remote = if let remote { remote } else { try calls.remoteAddress(of: descriptor) }
        try calls.apply(options, to: descriptor, isTCP: local.port != nil)
        self.init(descriptor, local: local, remote: remote, calls: calls)
    }

    /// The address of the other side, or of this one if that has none.
    public var description: String {
        remoteAddress == .unix(path: "") ? "\(localAddress)" : "\(remoteAddress)"
    }

    /// Closes the writing direction, for a side that does not write; reading continues.
    ///
    /// A writer that finishes does so by itself. Does nothing if the direction is closed already.
    ///
    /// - Throws: `EBUSY` while a writer is active; errors of `shutdown`.
    public func closeWriting() throws(SystemError) {
        let descriptor: Descriptor
        do {
            descriptor = try begin(.writing)
        } catch  where error.code == ENOTCONN {
            return
        }
        defer { end(.writing, isOver: true) }
        try calls.shutDownWriting(descriptor)
    }

    /// Resets the connection in both directions.
    ///
    /// Readers and writers of this side fail with the code `ECONNRESET`. So do those of the other side over TCP; over a
    /// Unix socket, they see the end of the stream.
    public func reset() {
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

    /// Changes the options of the connection.
    ///
    /// - Throws: Errors of `setsockopt`; `ENOTCONN` if the connection has ended.
    public func apply(_ options: SocketOptions) throws(SystemError) {
        guard let descriptor else { throw error("setsockopt", ENOTCONN) }
        try calls.apply(options, to: descriptor, isTCP: isTCP)
    }
}

extension Connection {
    /// Whether the other side acknowledges what it has got.
    var isTCP: Bool { localAddress.port != nil }

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

    func error(_ call: String, _ code: Int32) -> SystemError { SystemError(call: call, code: code, subject: peer) }

    /// How many bytes the system has sent, or still has to send, and the other side has not acknowledged.
    ///
    /// Over a Unix socket, they count for more than they are. Zero elsewhere than on Linux.
    var unacknowledgedCount: Int {
        #if os(Linux)
            if let descriptor { return (try? calls.countOfBytes(TIOCOUTQ, in: descriptor)) ?? 0 }
        #endif
        return 0
    }

    /// How many of the bytes that were written the other side has taken: if it grows, the other side is alive.
    ///
    /// Over a Unix socket, it may fall with a write.
    package var takenBytes: Int { sent.load(ordering: .relaxed) - unacknowledgedCount }
}

extension Connection {
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
        guard let descriptor, let events = try? calls.readyEvents(of: descriptor, among: 0) else { return }
        isHalfClosed.store(true, ordering: .relaxed)
        if events & Int32(POLLERR | POLLHUP) != 0 {
            let code = (try? calls.option(SO_ERROR, of: SOL_SOCKET, on: descriptor)) ?? 0
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
