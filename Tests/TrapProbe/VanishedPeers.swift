import Dispatch
import Foundation
import Headgate
import HeadgateCore
import HeadgateSystem

extension TrapProbe {
    /// Has connections lose their other sides without a word, and prints how each stream over them ends; for a network
    /// namespace of its own, whose only network it takes down.
    static func losePeers() {
        takeNetwork("up")
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0))
        guard let address = try? listener.bind(), case .tcp(_, let port) = address else { return print("no listener") }
        let (arrived, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        let names = Guarded<Set<String>>([])
        let otherSides = listener.flatMap { $0.bytes().lines() }
            .sink(
                receiveCompletion: { _ in },
                receiveValue: { name in if names.withLock({ $0.insert(name).inserted }) { arrived.signal() } })
        open(to: address, named: "idle", rule, ended) { connection, end in
            Just(Bytes("idle\n")).write(to: connection, keepsOpen: true) { _ in }
            return connection.bytes().sink(receiveCompletion: { end("\($0)") }, receiveValue: { _ in })
        }
        let kinds: [(name: String, options: SocketOptions, limit: StallLimit?)] = [
            ("flooding", SocketOptions(), StallLimit(.seconds(1))), ("kept alive", rule, nil),
            ("stalled", SocketOptions(), StallLimit(.seconds(1))),
            ("unacknowledged", SocketOptions(acknowledgementLimit: .seconds(1)), nil),
        ]
        for kind in kinds {
            open(to: address, named: kind.name, kind.options, ended) { connection, end in
                let line = Bytes(kind.name + "\n")
                if kind.name == "flooding" {
                    return AnyCancellable(Always(line).write(to: connection, stallLimit: kind.limit) { end("\($0)") })
                }
                return AnyCancellable(
                    Publishers.timer(interval: .milliseconds(100)).map { _ in line }
                        .write(to: connection, stallLimit: kind.limit) { end("\($0)") })
            }
        }
        for _ in 0...kinds.count { arrived.wait() }
        takeNetwork("down")
        if ended.wait(timeout: .now() + 60) == .timedOut { print("some have not ended") }
        fflush(nil)
        _ = system("ss -Htn 'dport = :\(port)'")
        withExtendedLifetime(otherSides) {}
    }

    private static let rule = SocketOptions(keepAlive: KeepAlive(idle: 1, interval: 1, probes: 1))

    private static let streams = Guarded<[AnyCancellable]>([])

    private static func takeNetwork(_ direction: String) { _ = system("ip link set lo \(direction)") }

    /// Opens a connection, and prints how the stream ends that a closure makes over it.
    private static func open(
        to address: SocketAddress, named name: String, _ options: SocketOptions, _ ended: DispatchGroup,
        _ begin: @escaping @Sendable (Connection, @escaping @Sendable (String) -> Void) -> AnyCancellable
    ) {
        ended.enter()
        let connecting = Connection.connect(to: address, options: options)
            .sink(
                receiveCompletion: { if case .failure(let error) = $0 { print("\(name): \(error)") } },
                receiveValue: { connection in
                    let stream = begin(connection) { end in
                        print("\(name): \(end)")
                        ended.leave()
                    }
                    streams.withLock { $0.append(stream) }
                })
        streams.withLock { $0.append(connecting) }
    }
}
