import Foundation
import HeadgateCore
import HeadgateRedis
import Synchronization
import XCTest

/// Stands between clients and a server, and cuts, splits, delays or stalls what passes.
///
/// Built of nothing but the sockets of HeadgateSystem, so that it disturbs at any byte of a request or a reply.
final class Proxy: Sendable {
    /// What happens to the bytes of one direction of a connection.
    enum Fault: Sendable {
        case none
        /// The connection is reset after so many bytes.
        case cut(after: Int)
        /// The bytes arrive in chunks of this size.
        case split(Int)
        /// Nothing passes after so many bytes, and the connection stays open.
        case stall(after: Int)
        /// The client's connection is reset after so many bytes, and the server receives the rest later: to it, the
        /// connection remains open.
        case late(after: Int)
        /// The server does not learn that the client's connection is reset.
        case unnoticed

        var isUnnoticed: Bool {
            switch self {
            case .late, .unnoticed: true
            case .none, .cut, .split, .stall: false
            }
        }
    }

    /// What happens to the connection with this number.
    typealias Plan = @Sendable (Int) -> (requests: Fault, replies: Fault)

    private struct State {
        var connections: [(client: Connection, server: Connection)] = []
        var streams: [AnyCancellable] = []
        var count = 0
        var lateEnds = 0
    }

    let path: String
    private let target: SocketAddress
    private let plan: Plan
    private let state = Mutex(State())
    private let accepting = Mutex<AnyCancellable?>(nil)

    init(to server: RealServer, plan: @escaping Plan) throws {
        path = "\(server.folder)/proxy-\(UUID().uuidString.prefix(8))"
        target = .unix(path: server.socket)
        self.plan = plan
        let listener = Listener(path: path)
        _ = try listener.bind()
        let accepting = listener.sink(
            receiveCompletion: { _ in }, receiveValue: { [weak self] client in self?.serve(client) })
        self.accepting.withLock { $0 = AnyCancellable(accepting) }
    }

    deinit { close() }

    var url: String { "unix://\(path)" }

    var count: Int { state.withLock { $0.count } }

    /// How many connections that deliver something late the server has closed: nothing arrives by them any more.
    var lateEnds: Int { state.withLock { $0.lateEnds } }

    private func serve(_ client: Connection) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let plan = plan(number)
        let connecting = Connection.connect(to: target).sink(
            receiveCompletion: { if case .failure = $0 { client.reset() } },
            receiveValue: { [weak self] server in
                self?.state.withLock { $0.connections.append((client, server)) }
                self?.pump(from: client, to: server, plan.requests, isUnnoticed: plan.requests.isUnnoticed)
                self?.pump(from: server, to: client, plan.replies, isUnnoticed: plan.requests.isUnnoticed)
            })
        state.withLock { $0.streams.append(connecting) }
    }

    private func pump(from source: Connection, to target: Connection, _ fault: Fault, isUnnoticed: Bool) {
        let passed = Mutex(0)
        let silence = Empty<Bytes, SystemError>(completeImmediately: false)
        let received =
            isUnnoticed
            ? source.bytes().catch { _ in silence }.append(silence).eraseToAnyPublisher()
            : source.bytes().eraseToAnyPublisher()
        let bytes =
            received
            .flatMap(maxPublishers: .max(1)) { chunk -> AnyPublisher<Bytes, SystemError> in
                let before = passed.withLock { count in
                    defer { count += chunk.count }
                    return count
                }
                let pieces: [Bytes]
                switch fault {
                case .none, .unnoticed: pieces = [chunk]
                case .split(let size):
                    pieces = stride(from: chunk.startIndex, to: chunk.endIndex, by: size).map {
                        chunk[$0..<min(chunk.endIndex, $0 + size)]
                    }
                case .cut(let count), .stall(let count), .late(let count):
                    pieces = [chunk.prefix(max(0, count - before))]
                }
                let whole = pieces.publisher.setFailureType(to: SystemError.self)
                if case .cut(let count) = fault, before + chunk.count >= count {
                    return whole.append(Fail(error: SystemError(call: "cut", code: ECONNRESET))).eraseToAnyPublisher()
                }
                if case .late(let count) = fault, before + chunk.count > count {
                    source.reset()
                    let rest = Just(chunk.dropFirst(max(0, count - before))).setFailureType(to: SystemError.self)
                    return whole.append(rest.delay(for: .milliseconds(100), scheduler: DispatchQueue.global()))
                        .eraseToAnyPublisher()
                }
                return whole.eraseToAnyPublisher()
            }
        let writing = bytes.write(to: target) { [weak self] _ in
            if case .late = fault { self?.state.withLock { $0.lateEnds += 1 } }
            // The end of one direction is that of the other.
            if isUnnoticed { return }
            target.reset()
            source.reset()
        }
        state.withLock { $0.streams.append(AnyCancellable(writing)) }
    }

    /// Resets all connections.
    func cutAll() {
        let connections = state.withLock { exchange(&$0.connections, with: []) }
        for (client, server) in connections {
            client.reset()
            server.reset()
        }
    }

    /// Resets the clients' connections; the server does not learn of it where the plan is `unnoticed`.
    func cutClients() {
        for (client, _) in state.withLock({ $0.connections }) { client.reset() }
    }

    func close() {
        accepting.withLock { exchange(&$0, with: nil) }?.cancel()
        cutAll()
        for stream in state.withLock({ exchange(&$0.streams, with: []) }) { stream.cancel() }
    }
}
