@preconcurrency import Glibc
import HeadgateSystem
import Synchronization
import Terminal

@main
struct TickerLoad {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { exit(await show(Arguments.help + "\n") ? 0 : 1) }
            exit(await run(arguments))
        } catch {
            complain("\(error)\n\(Arguments.help)")
            exit(2)
        }
    }

    /// Opens the connections, reads, and prints the results.
    ///
    /// - Returns: The status to exit with.
    static func run(_ arguments: Arguments) async -> Int32 {
        allowAsManyDescriptorsAsPossible()
        let readers = arguments.clients - arguments.silent
        let silent = Mutex<[Connection]>([])
        let ready = Atomic(0)
        let progress = Progress()
        let showing = progress.show(of: arguments)
        let off = KillSwitch()
        let stopping = Signals.publisher(for: .interrupt, .terminate).sink { _ in off.turnOff() }
        defer { stopping.cancel() }

        // One value per reader: what it had received when its stream ended.
        let readings = (0..<arguments.clients).publisher
            .setFailureType(to: SystemError.self)
            .flatMap(maxPublishers: .max(64)) { number in
                Connection.connect(to: arguments.place).map { (number, $0) }
            }
            .stopped(by: off)
            .flatMap { number, connection in
                progress.connected.add(1, ordering: .relaxed)
                if let policy = arguments.policy {
                    Just(policy).write(to: connection, terminator: "\n", keepsOpen: true) { _ in }
                }
                if number < arguments.silent {
                    silent.withLock { $0.append(connection) }
                    return Empty<Reading, SystemError>().eraseToAnyPublisher()
                }
                return read(connection, until: arguments, off, progress) {
                    if ready.add(1, ordering: .relaxed).newValue == readers, let server = arguments.server {
                        kill(server, SIGTERM)
                    }
                }
            }
            .collect()

        var seen: [Reading] = []
        do {
            for try await all in readings.values { seen = all }
            showing.cancel()
        } catch {
            showing.cancel()
            complain("\(error)")
            return 1
        }
        for connection in silent.withLock({ $0 }) { connection.reset() }
        complain("\(seen.reduce(0) { $0 + $1.bytes } >> 20) MiB, \(seen.map(\.span).max() ?? 0) messages")
        // Readers that have enough don't wait for it.
        let farewells =
            !off.isOff && (arguments.messages == nil || arguments.server != nil)
            ? "\(seen.count { $0.gotFarewell })" : "not awaited"
        let isOrdered = seen.allSatisfy { !$0.isOutOfOrder }
        let text = """
            clients        \(arguments.clients)
            never read     \(arguments.silent)
            read           \(seen.count)
            got farewell   \(farewells)
            in order       \(isOrdered ? "yes" : "no")

            """
        return await show(text) && isOrdered ? 0 : 1
    }

    /// Reads a connection to its end, or until enough messages have been received or the switch is turned off.
    ///
    /// - Parameter onReady: Called once, when the expected number of messages has been received.
    static func read(
        _ connection: Connection, until arguments: Arguments, _ off: KillSwitch, _ progress: Progress,
        onReady: @escaping @Sendable () -> Void
    ) -> AnyPublisher<Reading, SystemError> {
        let flag = Flag()
        return connection.bytes(chunkSize: 1 << 14)
            .stopped(by: off)
            .scan(Reading()) { reading, chunk in
                var next = reading
                next.take(chunk)
                return next
            }
            .handleEvents(receiveOutput: { reading in
                progress.note(reading)
                if let messages = arguments.messages, reading.span >= messages, flag.raise() { onReady() }
            })
            // Without a server to stop, reading ends with the chunk that completes the number.
            .prefix(
                while: { arguments.server != nil || $0.span < arguments.messages ?? .max }, behavior: .inclusive
            )
            .map(Optional.some)
            // A connection that was reset has been read, too.
            .catch { _ in Empty<Reading?, SystemError>() }
            .replaceEmpty(with: nil)
            .last()
            .map { $0 ?? Reading() }
            .handleEvents(receiveOutput: { _ in progress.ended.add(1, ordering: .relaxed) })
            .eraseToAnyPublisher()
    }

    /// Prints a text.
    static func show(_ text: String) async -> Bool {
        await Just(text).write(to: .standardOutput, terminator: "")?.isComplete ?? false
    }

    static func complain(_ message: String) { fputs("ticker-load: \(message)\n", stderr) }

    /// Each connection takes one, and the default limit is about a thousand.
    static func allowAsManyDescriptorsAsPossible() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// A flag that is raised once.
final class Flag: Sendable {
    private let isUp = Atomic(false)

    /// - Returns: Whether it was down.
    func raise() -> Bool { !isUp.exchange(true, ordering: .relaxed) }
}
