/// Asks servers, one after the other, until one knows the answer: which server is the master, or which serves a slot.
final class ServerSearch<Answer: Sendable>: Sendable {
    /// What is asked.
    struct Question: Sendable {
        let command: [Bytes]
        /// Reads the reply of a server; `nil` if it does not know.
        let read: @Sendable (RedisValue, SocketAddress) -> Answer?
        /// Why none knows, by what each has said, and by the refusal if each has refused for good.
        let failure: @Sendable (_ words: String, _ refusal: RedisError?) -> RedisError
    }

    private struct State {
        var servers: ArraySlice<SocketAddress>
        /// The connection to the server that is being asked.
        var pipeline: Pipeline?
        var problems: [String] = []
        var refusals: [RedisError] = []
        var isOver = false
    }

    private let question: Question
    /// Whose login is used.
    private let login: RedisAddress?
    private let options: RedisOptions
    private let found: @Sendable (Result<Answer, RedisError>) -> Void
    private let state: Guarded<State>

    init(
        _ question: Question, at servers: [SocketAddress], login: RedisAddress? = nil, _ options: RedisOptions,
        _ found: @escaping @Sendable (Result<Answer, RedisError>) -> Void
    ) {
        self.question = question
        self.login = login
        self.found = found
        // A server answers within this time, or the next one is asked.
        let patience = Duration.seconds(1)
        var options = options
        options.retrying = .constant(.zero, retries: 0)
        options.connectingTime = min(options.connectingTime, patience)
        options.answeringTime = min(options.answeringTime, patience)
        self.options = options
        state = Guarded(State(servers: servers[...]))
    }

    func start() { askNext() }

    /// - Returns: Whether it was not over before.
    @discardableResult func stop() -> Bool {
        let (wasOver, pipeline) = state.withLock { (exchange(&$0.isOver, with: true), $0.pipeline.take()) }
        pipeline?.close()
        return !wasOver
    }

    private func askNext() {
        let server = state.withLock { $0.isOver ? nil : $0.servers.popFirst() }
        guard let server else {
            let (problems, refusals) = state.withLock { ($0.problems, $0.refusals) }
            if stop() {
                let refusal = refusals.count == problems.count ? refusals.first : nil
                found(.failure(question.failure(problems.joined(separator: "; "), refusal)))
            }
            return
        }
        let address = login?.at(server) ?? RedisAddress(place: .server(server))
        let pipeline = Pipeline(to: address, options, onEvent: { _ in })
        // If the search was stopped meanwhile, nobody else would close the new one.
        let useless = state.withLock { $0.isOver ? pipeline : exchange(&$0.pipeline, with: pipeline) }
        useless?.close()
        let receiver = ReplyClosure.reading { [self] reply in take(reply, from: server) }
        pipeline.send(Request(bytes: .command(question.command), kind: .step, receiver: receiver))
    }

    private func take(_ reply: Reply, from server: SocketAddress) {
        switch reply {
        case .success(let value):
            if let answer = question.read(value, server) {
                if stop() { found(.success(answer)) }
                return
            }
            state.withLock { $0.problems.append("\(server) does not know it") }
        case .failure(let error):
            state.withLock { state in
                state.problems.append("\(error)")
                if !error.isWorthAnotherConnection { state.refusals.append(error) }
            }
        }
        askNext()
    }
}

extension ServerSearch.Question where Answer == SocketAddress {
    /// Which server is the master of a name: sentinels know it.
    static func master(_ name: String, _ address: RedisAddress) -> Self {
        Self(command: ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Bytes(name)]) { value, _ in
            guard let parts = value.elements, parts.count == 2, let host = parts[0].text,
                let port = parts[1].text.flatMap({ Int($0) })
            else { return nil }
            return .tcp(host: host, port: port)
        } failure: { words, _ in
            RedisError(.noMaster("no sentinel knows \(name): \(words)"), address: address.description)
        }
    }
}

extension ServerSearch.Question where Answer == SlotTable {
    /// Which node serves which slot: each node of a cluster knows it.
    static func slots(_ address: RedisAddress) -> Self {
        Self(command: ["CLUSTER", "SLOTS"]) { value, server in
            // A node that has been started alone knows of none.
            SlotTable(value, from: server).flatMap { $0.nodes.isEmpty ? nil : $0 }
        } failure: { words, refusal in
            let reason = RedisError.Reason.noNode("no node knows which serves which slot: \(words)")
            return refusal ?? RedisError(reason, address: address.description)
        }
    }
}
