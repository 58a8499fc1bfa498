import HeadgateEngine

/// Listens to channels for one subscriber, and keeps what it has not requested as far as there is room.
// Threads share only what a lock guards. Messages come one after the other, so deliveries do, too.
final class MessageSource: @unchecked Sendable {
    private struct State {
        var waiting = Queue<RedisMessage>()
        /// Losses of the connection that have not been reported, at most one before each message.
        var interruptions: [(after: Int, error: RedisError)] = []
        /// How many messages have been taken out of `waiting` or dropped from its front.
        var taken = 0
        var dropped = 0
        /// Whether dropped messages were reported last: a message follows that, so that a slow subscriber does not receive
        /// reports only.
        var hasReported = false
        var hasBeenOpen = false
        var failure: RedisError?
        var isOver = false

        mutating func interrupt(_ error: RedisError) {
            let place = taken + waiting.count
            if interruptions.last?.after != place { interruptions.append((place, error)) }
        }

        mutating func dropFirst() {
            _ = waiting.popFirst()
            taken += 1
            dropped += 1
            // Of the losses before the first message, one is reported.
            let due = interruptions.prefix { $0.after <= taken }
            interruptions.removeFirst(max(0, due.count - 1))
        }
    }

    private let emitter: Emitter<MessageEvent, RedisError>
    private let whenFull: MessageOverflow
    private let failsWhenInterrupted: Bool
    private let address: String
    private let state = Guarded(State())
    private let pipeline = Guarded<Pipeline?>(nil)

    init(
        _ emitter: Emitter<MessageEvent, RedisError>, _ whenFull: MessageOverflow, _ failsWhenInterrupted: Bool,
        _ address: String
    ) {
        self.emitter = emitter
        self.whenFull = whenFull
        self.failsWhenInterrupted = failsWhenInterrupted
        self.address = address
    }

    func start(_ redis: Redis, _ channels: [Bytes], _ patterns: [Bytes]) {
        let opening =
            (channels.isEmpty ? [] : [Bytes.command(["SUBSCRIBE"] + channels)])
            + (patterns.isEmpty ? [] : [Bytes.command(["PSUBSCRIBE"] + patterns)])
        let own = redis.ownPipeline(
            at: .any, opening: opening, onMessage: { [weak self] in self?.take($0) },
            onEvent: { [weak self] in self?.take($0) })
        switch own {
        case .failure(let error): emitter.fail(error.naming("SUBSCRIBE"))
        case .success(let pipeline):
            self.pipeline.withLock { $0 = pipeline }
            emitter.onCancel { self.stop() }
            emitter.onRequest { _ in
                pipeline.open()
                self.deliver(waits: false)
            }
        }
    }

    private func stop() {
        state.withLock { $0.isOver = true }
        pipeline.withLock { $0.take() }?.close()
    }

    private func take(_ event: RedisEvent) {
        switch event {
        case .connected: state.withLock { $0.hasBeenOpen = true }
        case .lost(let error):
            state.withLock { state in
                // An attempt that fails interrupts nothing.
                if !state.hasBeenOpen { return }
                state.hasBeenOpen = false
                if failsWhenInterrupted {
                    state.failure = state.failure ?? error
                } else {
                    state.interrupt(error)
                }
            }
            deliver()
        case .failed(let error): fail(error)
        default: break
        }
    }

    private func fail(_ error: RedisError) {
        state.withLock { $0.failure = $0.failure ?? error.naming("SUBSCRIBE") }
        deliver()
    }

    private func take(_ value: RedisValue) {
        if case .error(let words) = value {
            return fail(RedisError(.server(String(words)), command: "SUBSCRIBE", address: address))
        }
        guard let parts = value.elements, let kind = parts.first?.bytes else { return }
        let isPattern = kind == "pmessage"
        guard isPattern ? parts.count == 4 : kind == "message" && parts.count == 3,
            let payload = parts[parts.count - 1].bytes, let channel = parts[parts.count - 2].bytes
        else { return }
        let message = RedisMessage(channel: channel, pattern: isPattern ? parts[1].bytes : nil, payload: payload)
        state.withLock { state in
            // After one that was missed, the next would leave a gap.
            if state.failure != nil { return }
            if emitter.demand > .none || state.waiting.count < whenFull.room {
                state.waiting.append(message)
                return
            }
            switch whenFull {
            case .dropOldest(let count) where count > 0:
                state.dropFirst()
                state.waiting.append(message)
            case .dropOldest, .dropNewest: state.dropped += 1
            case .fail(let count):
                let error = RedisError(.overflow(count), command: "SUBSCRIBE", address: address)
                state.failure = state.failure ?? error
            }
        }
        deliver()
    }

    /// Sends what waits, as far as it is requested, and then the failure, if there is one.
    ///
    /// - Parameter waits: Whether the caller waits for its turn, as a sender does; who requests doesn't.
    private func deliver(waits: Bool = true) {
        let (isSending, failure): (Bool, RedisError?) = state.withLock { state in
            // Looked at and used up under the lock: what another caller has sent meanwhile is not requested any more.
            let wanted = state.isOver ? 0 : emitter.demand.max ?? .max
            var sent = 0
            while sent < wanted, let event = Self.next(&state) {
                emitter.keep(event)
                sent += 1
            }
            // What waits comes before a failure.
            let isEmpty = state.waiting.isEmpty && state.interruptions.isEmpty
            return (sent > 0, isEmpty && !state.isOver ? state.failure : nil)
        }
        if isSending { if waits { emitter.serve() } else { emitter.serveOrLeave() } }
        if let failure {
            stop()
            emitter.fail(failure)
        }
    }

    private static func next(_ state: inout State) -> MessageEvent? {
        if let interruption = state.interruptions.first, interruption.after <= state.taken {
            state.interruptions.removeFirst()
            return .interrupted(interruption.error)
        }
        if state.dropped > 0, !state.hasReported, !state.waiting.isEmpty {
            defer { (state.dropped, state.hasReported) = (0, true) }
            return .dropped(state.dropped)
        }
        guard let message = state.waiting.popFirst() else { return nil }
        state.taken += 1
        state.hasReported = false
        return .message(message)
    }
}
