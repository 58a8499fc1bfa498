@preconcurrency import Dispatch
import HeadgateEngine

/// A connection that is opened when there is something to send, and again when it is lost.
///
/// Commands are sent without waiting for the replies to earlier ones. When a connection is lost, those that allow it
/// are sent again, in their order and before later ones.
// Threads share only what a lock guards; the lock is held for copies and assignments.
final class Pipeline: Sendable {
    enum Phase {
        case idle
        case opening
        case greeting
        case open
        /// The server refuses commands for a time: what is under way is waited for, and nothing is sent.
        case draining(RedisError)
        case pausing
    }

    struct State {
        /// The number of the connection: what an earlier one still reports is ignored.
        var epoch = 0
        var phase = Phase.idle
        var waiting = Queue<Request>()
        var pending = Queue<Request>()
        /// What the server has refused for a time.
        var returned: [Request] = []
        var outgoing: [Bytes] = []
        var isFlushing = false
        var connection: ServerConnection?
        /// The server's number for this connection, and for the last one that was lost: it may not know of the loss.
        var identity: Int64?
        var former: Int64?
        /// The server's version, as far as it has told.
        var version: String?
        var alarms: [AnyCancellable] = []
        var schedule: RetrySchedule
        var replies = 0
        var isWatched = false
        var isIdling = false
        var isClosed = false
        /// How many keep it open while nothing is sent.
        var users = 0
        /// Which node of the cluster it is connected to, and where that says that the slot is.
        var node: SocketAddress?
        var redirection: Redirection?
        /// How many nodes in a row have said that it is elsewhere.
        var redirections = 0
        /// Whether each command is preceded by `ASKING`: the slot is about to move to this node.
        var isAsking = false
    }

    let address: RedisAddress
    let options: RedisOptions

    /// Commands to send as soon as a connection is open, whose replies are messages.
    let opening: [Bytes]

    /// What it is to a cluster, and whether that is nothing.
    let role: ClusterRole
    private let isAlone: Bool

    /// A command that each connection begins with.
    let preparing: [Bytes]

    /// The name of its connections at the server.
    let name = "headgate-\(UInt64.random(in: 0...(.max)))"

    let state: Guarded<State>
    private let onEvent: @Sendable (RedisEvent) -> Void
    private let onMessage: (@Sendable (RedisValue) -> Void)?

    static let alarm = Alarm(DispatchQueue.global())

    init(
        to address: RedisAddress, _ options: RedisOptions, role: ClusterRole = .none, preparing: [Bytes] = [],
        opening: [Bytes] = [],
        onMessage: (@Sendable (RedisValue) -> Void)? = nil, onEvent: @escaping @Sendable (RedisEvent) -> Void
    ) {
        self.address = address
        self.options = options
        self.role = role
        isAlone = if case .none = role { true } else { false }
        self.preparing = preparing
        self.opening = opening
        self.onMessage = onMessage
        self.onEvent = onEvent
        state = Guarded(State(schedule: RetrySchedule(options.retrying)))
    }

    deinit { close() }

    /// What remains to be done for a command that is to be sent.
    enum SendingStep {
        case open(Int)
        case flush(Int)
        case watch
        /// Somebody else writes, or the connection is being opened.
        case nothing
    }

    /// Sends a command, now or when there is a connection.
    func send(_ request: Request) {
        let step = state.withLock { state in
            accept(request, &state)
            return nextStep(&state)
        }
        perform(step)
    }

    /// Sends commands, and no other between them.
    func send(_ requests: [Request]) { perform(enqueue(requests)) }

    /// Gives commands their places among those that are sent, without sending them yet.
    func enqueue(_ requests: [Request]) -> SendingStep {
        state.withLock { state in
            for request in requests { accept(request, &state) }
            return nextStep(&state)
        }
    }

    @inline(__always) private func accept(_ request: Request, _ state: inout State) {
        if state.isClosed { return }
        if case .open = state.phase { put(request, &state) } else { state.waiting.append(request) }
    }

    @inline(__always) private func nextStep(_ state: inout State) -> SendingStep {
        if state.isClosed { return .nothing }
        guard case .open = state.phase else { return beginOpening(&state).map { .open($0) } ?? .nothing }
        if state.isFlushing { return state.isWatched ? .nothing : .watch }
        state.isFlushing = true
        return .flush(state.epoch)
    }

    func perform(_ step: SendingStep) {
        switch step {
        case .open(let epoch): open(epoch)
        case .flush(let epoch):
            flushHeld(epoch)
            watch()
        case .watch: watch()
        case .nothing: break
        }
    }

    /// Opens the connection although there is nothing to send.
    func open() {
        if let epoch = state.withLock({ beginOpening(&$0) }) { open(epoch) }
    }

    private func beginOpening(_ state: inout State) -> Int? {
        guard case .idle = state.phase, !state.isClosed else { return nil }
        state.phase = .opening
        state.epoch += 1
        return state.epoch
    }

    /// Sends a command of the greeting.
    func greet(_ request: Request, _ epoch: Int) {
        state.withLock { if $0.epoch == epoch { put(request, &$0) } }
        flush()
    }

    /// Begins with what waits, now that the server has accepted the connection.
    func becomeOpen(_ epoch: Int) {
        let isOpen = state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.phase = .open
            state.former = nil
            state.redirection = nil
            state.outgoing.append(contentsOf: opening)
            while let request = state.waiting.popFirst() { put(request, &state) }
            return true
        }
        if !isOpen { return }
        flush()
        onEvent(.connected)
        idle()
    }

    private func put(_ request: Request, _ state: inout State) {
        if state.isAsking {
            state.pending.append(Self.asking)
            state.outgoing.append(Self.asking.bytes)
        }
        state.pending.append(request)
        state.outgoing.append(request.bytes)
    }

    /// Writes what is to be written, in its order: one caller at a time.
    private func flush() {
        if let epoch = holdWriting() { flushHeld(epoch) }
        watch()
    }

    /// Makes the caller the one that writes to the connection: others leave to it what they send until it calls
    /// `flushHeld(_:)`.
    ///
    /// Replies come many at a time, and each may have another command sent: one write takes all of them.
    ///
    /// - Returns: The number of the connection; `nil` if another thread writes.
    func holdWriting() -> Int? {
        state.withLock { exchange(&$0.isFlushing, with: true) ? nil : $0.epoch }
    }

    func flushHeld(_ epoch: Int) {
        while true {
            let (bytes, connection): ([Bytes], ServerConnection?) = state.withLock { state in
                // On the next connection, another thread may write.
                if state.epoch != epoch { return ([], nil) }
                state.isFlushing = !state.outgoing.isEmpty && state.connection != nil
                return state.isFlushing ? (exchange(&state.outgoing, with: []), state.connection) : ([], nil)
            }
            guard let connection else { return }
            let count = bytes.reduce(0) { $0 + $1.count }
            // Large ones are not worth a copy.
            if bytes.count > 1, count <= 1 << 16 {
                connection.write(Bytes(joining: bytes, count: count))
            } else {
                for bytes in bytes { connection.write(bytes) }
            }
        }
    }

    /// Receives what the server has sent.
    ///
    /// - Parameter receiver: Who took the reply before, and has to settle unless it takes this one, too.
    func take(_ reply: RESPReply, _ epoch: Int, _ receiver: inout (any ReplyReceiver)?) {
        if reply.isPush {
            if let onMessage, state.withLock({ $0.epoch == epoch }) { onMessage(reply.value) }
            return
        }
        var isUnused = false
        // Nearly always: the server has done what it was asked for, and nothing waits for what it has refused.
        let request: Request? = state.withLock { state in
            guard state.epoch == epoch, case .open = state.phase, !state.pending.isEmpty, !reply.isError, isAlone else {
                return nil
            }
            state.replies += 1
            if state.schedule.retries > 0 { state.schedule.reset() }
            // Not named before: a copy would be retained and released.
            defer { isUnused = state.pending.isEmpty }
            return state.pending.popFirst()
        }
        guard let request else { return takeUncommon(reply, epoch, &receiver) }
        settle(&receiver, before: request)
        request.take(.value(reply))
        if isUnused { idle() }
    }

    @inline(__always) private func settle(_ receiver: inout (any ReplyReceiver)?, before request: Request) {
        if request.receiver === receiver { return }
        receiver?.settle()
        receiver = request.receiver
    }

    private func takeUncommon(_ reply: RESPReply, _ epoch: Int, _ receiver: inout (any ReplyReceiver)?) {
        let words = reply.isError ? reply.value.bytes : nil
        var drained: RedisError?
        var isUnexpected = false
        var isUnused = false
        let request: Request? = state.withLock { state in
            guard state.epoch == epoch else { return nil }
            guard let request = state.pending.popFirst() else {
                isUnexpected = onMessage == nil
                return nil
            }
            state.replies += 1
            isUnused = state.pending.isEmpty
            defer { if case .draining(let error) = state.phase, isUnused { drained = error } }
            if case .greeting = state.phase { return request }
            if isFinal(request) { return request }
            if let words, case let error = self.error(words, request),
                error.isTemporary(for: request) || isElsewhere(error, request)
            {
                if case .open = state.phase { state.phase = .draining(error) }
                state.returned.append(request)
                return nil
            }
            if case .draining = state.phase, case .ordered = request.kind {
                // Keeps the order: what comes after a refused one is sent again after it.
                state.returned.append(request)
                return nil
            }
            if state.schedule.retries > 0 { state.schedule.reset() }
            state.redirections = 0
            return request
        }
        if let request, case .node(let owner) = role, let cluster = owner.cluster,
            cluster.takesBack(request, words.map { error($0, request) }, from: self)
        {
            // The cluster sends it again.
        } else if let request {
            settle(&receiver, before: request)
            if let words { refuse(request, words) } else { request.take(.value(reply)) }
        } else if isUnexpected {
            lose(error(.server(words.map { String($0) } ?? "a reply to no command")), epoch)
        } else if let onMessage, state.withLock({ $0.epoch == epoch && $0.pending.isEmpty }) {
            onMessage(reply.value)
        }
        if let drained { lose(drained, epoch) }
        if isUnused { idle() }
    }

    /// Tells a request what the server has said to it.
    private func refuse(_ request: Request, _ words: Bytes) {
        // What the user sends is not known to be needed.
        let version = request.isOfUser ? nil : state.withLock { $0.isOpen ? $0.version : nil }
        request.take(.failure(error(words, request).blaming(version)))
    }

    /// Who receives the reply that arrives next.
    func receiver(_ epoch: Int) -> (any ReplyReceiver)? {
        state.withLock { $0.epoch == epoch ? $0.pending.first?.receiver : nil }
    }

    /// The error that the server's words stand for; they may repeat arguments, and so a password.
    func error(_ words: Bytes, _ request: Request) -> RedisError {
        var text = String(words)
        if let arguments = text.firstRange(of: ", with args beginning with") {
            text = String(text[..<arguments.lowerBound])
        }
        if let password = address.password, !password.isEmpty { text = text.replacing(password, with: "…") }
        let reason = text.hasPrefix("CROSSSLOT") ? RedisError.Reason.differentSlots(text) : .server(text)
        return RedisError(reason, command: request.name, address: address.description)
    }

    /// Whether a connection to another node is to be asked.
    private func isElsewhere(_ error: RedisError, _ request: Request) -> Bool {
        guard case .following = role, error.isRedirection else { return false }
        if case .part = request.kind { return false }
        return true
    }

    func error(_ reason: RedisError.Reason) -> RedisError { RedisError(reason, address: address.description) }
}

extension Pipeline {
    /// Receives the loss of a connection, or that none could be opened, and waits for the next attempt.
    func lose(_ error: RedisError, _ epoch: Int) {
        var delay: Duration?
        var repeated: [Request] = []
        var returned: [Request] = []
        let loss: (lost: [Request], failed: [Request], old: State)? = state.withLock { state in
            guard state.epoch == epoch, !state.isClosed else { return nil }
            var old = exchange(&state, with: state.next)
            // On one that was never open, nothing has been sent that matters.
            state.former = old.isOpen ? old.identity ?? old.former : old.former
            (state.node, state.redirections) = (old.node, old.redirections)
            var again = old.returned
            var lost: [Request] = []
            while let request = old.pending.popFirst() {
                if !request.isRepeated {
                    lost.append(request)
                    continue
                }
                repeated.append(request)
                again.append(request)
            }
            while let request = old.waiting.popFirst() { again.append(request) }
            if case .node = role {
                returned = again
                return (lost, [], old)
            }
            if redirect(error, &state) {
                delay = .zero
            } else if error.isWorthAnotherConnection {
                delay = state.schedule.next()
            }
            if delay == nil {
                state.schedule.reset()
                return ([], lost + again, old)
            }
            state.phase = .pausing
            let isPatient = state.schedule.retries <= options.commandRetries
            var failed: [Request] = []
            for request in again {
                if isPatient || !request.isOfUser { state.waiting.append(request) } else { failed.append(request) }
            }
            return (lost, failed, old)
        }
        guard let loss else { return }
        for request in repeated { request.receiver.willRepeat(request.number) }
        loss.old.connection?.close()
        onEvent(.lost(error))
        tellCluster(error, returned)
        if case .node = role {
            // It sends again what is to be sent.
        } else if let delay {
            onEvent(.retrying(after: delay))
            later(delay, epoch + 1) { $0.resume(epoch + 1) }
        } else {
            onEvent(.failed(error))
        }
        for request in loss.lost { request.take(.lost(error.naming(request.name))) }
        for request in loss.failed { request.take(.failure(error.naming(request.name))) }
    }

    private func resume(_ epoch: Int) {
        let next: Int? = state.withLock { state in
            guard state.epoch == epoch, case .pausing = state.phase else { return nil }
            state.phase = .idle
            return state.waiting.isEmpty && opening.isEmpty ? nil : beginOpening(&state)
        }
        if let next { open(next) }
    }

    /// Does something after a time, unless the connection is lost before.
    func later(_ time: Duration, _ epoch: Int, _ action: @escaping @Sendable (Pipeline) -> Void) {
        let alarm = Self.alarm.after(time) { [weak self] in if let self { action(self) } }
        let isOver = state.withLock { state in
            if state.epoch != epoch || state.isClosed { return true }
            // At most the watch and one other are of use at a time.
            if state.alarms.count > 3 { state.alarms.removeFirst(2) }
            state.alarms.append(alarm)
            return false
        }
        if isOver { alarm.cancel() }
    }

    /// Closes the connection for good; nothing is told of what is under way.
    func close() {
        let old = state.withLock { state in
            defer { state.isClosed = true }
            return exchange(&state, with: state.next)
        }
        old.connection?.close()
    }
}
