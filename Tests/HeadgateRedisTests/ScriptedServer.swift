import Foundation
import HeadgateCore
import HeadgateRedis

/// A server that answers as a test says: what the real one does rarely, or only in other versions.
final class ScriptedServer: Sendable {
    /// What is sent for a command; `nil` for nothing more, and the end of the connection.
    typealias Script = @Sendable (_ connection: Int, _ command: [String]) -> String?

    private struct State {
        var count = 0
        var commands: [[String]] = []
        var writers: [AnyCancellable] = []
    }

    let url: String
    let port: Int
    private let state = Guarded(State())
    private let accepting = Guarded<AnyCancellable?>(nil)
    private let script: Script

    /// - Parameter isNode: Whether it has a port of the loopback interface, as the nodes of a cluster do.
    init(isNode: Bool = false, _ script: @escaping Script) throws {
        self.script = script
        let path = "/tmp/headgate-scripted-\(UUID().uuidString.prefix(12))"
        let listener = isNode ? Listener(port: 0) : Listener(path: path)
        let address = try listener.bind()
        port = address.port ?? 0
        url = isNode ? "redis-cluster://127.0.0.1:\(port)" : "unix://\(path)"
        let accepting = listener.sink(
            receiveCompletion: { _ in }, receiveValue: { [weak self] connection in self?.serve(connection) })
        self.accepting.withLock { $0 = AnyCancellable(accepting) }
    }

    deinit { accepting.withLock { exchange(&$0, with: nil) }?.cancel() }

    var commands: [[String]] { state.withLock { $0.commands } }

    var count: Int { state.withLock { $0.count } }

    private func serve(_ connection: Connection) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let parser = Guarded(RESPParser())
        let replies = connection.bytes()
            .map { [weak self] chunk -> [String?] in
                let commands = parser.withLock { parser -> [[String]] in
                    var commands: [[String]] = []
                    parser.take(chunk)
                    while let reply = try? parser.next() {
                        commands.append(reply.value.elements?.compactMap(\.text) ?? [])
                    }
                    return commands
                }
                guard let self else { return [nil] }
                state.withLock { $0.commands += commands }
                return commands.map { self.script(number, $0) }
            }
            .flatMap(maxPublishers: .max(1)) { $0.publisher.setFailureType(to: SystemError.self) }
            .prefix { $0 != nil }
            .compactMap { $0.map { Bytes($0) } }
        let writing = replies.write(to: connection) { _ in connection.reset() }
        state.withLock { $0.writers.append(AnyCancellable(writing)) }
    }
}
