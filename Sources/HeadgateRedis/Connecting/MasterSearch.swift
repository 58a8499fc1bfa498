import HeadgateCore
import HeadgateEngine

/// Asks sentinels, one after the other, which server is the master.
final class MasterSearch: Sendable {
    /// Why none is known.
    struct Problem: Error {
        let words: String
    }

    private struct State {
        var sentinels: ArraySlice<SocketAddress>
        /// The connection to the sentinel that is being asked.
        var pipeline: Pipeline?
        var problems: [String] = []
        var isOver = false
    }

    private let name: String
    private let options: RedisOptions
    private let found: @Sendable (Result<SocketAddress, Problem>) -> Void
    private let state: Guarded<State>

    /// A sentinel answers within this time, or the next one is asked.
    private static let patience = Duration.seconds(1)

    init(
        _ name: String, _ sentinels: [SocketAddress], _ options: RedisOptions,
        _ found: @escaping @Sendable (Result<SocketAddress, Problem>) -> Void
    ) {
        self.name = name
        self.found = found
        var options = options
        options.retrying = .constant(.zero, retries: 0)
        options.connectingTime = min(options.connectingTime, Self.patience)
        options.answeringTime = min(options.answeringTime, Self.patience)
        self.options = options
        state = Guarded(State(sentinels: sentinels[...]))
    }

    func start() { askNext() }

    func stop() { end() }

    /// - Returns: Whether it was not over before.
    @discardableResult private func end() -> Bool {
        let (isFirst, pipeline) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.pipeline.take())
        }
        pipeline?.close()
        return isFirst
    }

    private func askNext() {
        let sentinel = state.withLock { $0.isOver ? nil : $0.sentinels.popFirst() }
        guard let sentinel else {
            let problems = state.withLock { $0.problems }
            if end() {
                found(.failure(Problem(words: "no sentinel knows \(name): " + problems.joined(separator: "; "))))
            }
            return
        }
        let pipeline = Pipeline(to: RedisAddress(place: .server(sentinel)), options, onEvent: { _ in })
        let former = state.withLock { exchange(&$0.pipeline, with: pipeline) }
        former?.close()
        let receiver = ReplyClosure.reading { [self] reply in take(reply, from: sentinel) }
        pipeline.send(
            Request(
                bytes: .command(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Bytes(name)]), kind: .step,
                receiver: receiver))
    }

    private func take(_ reply: Reply, from sentinel: SocketAddress) {
        switch reply {
        case .value(let value):
            if let parts = value.elements, parts.count == 2, let host = parts[0].text,
                let port = parts[1].text.flatMap({ Int($0) })
            {
                if end() { found(.success(.tcp(host: host, port: port))) }
                return
            }
            state.withLock { $0.problems.append("\(sentinel) does not know it") }
        case .failure(let error), .lost(let error): state.withLock { $0.problems.append("\(error)") }
        }
        askNext()
    }
}
