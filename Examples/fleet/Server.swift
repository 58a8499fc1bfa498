@preconcurrency import Glibc
import HeadgateRedis

/// A redis-server of its own, in a temporary folder, that can be killed and started again.
final class Server: Sendable {
    let folder: String
    private let process: ServerProcess

    /// Prepares a server with a log on disk that survives a crash.
    init() throws(UsageError) {
        folder = try TemporaryFolder.make()
        process = ServerProcess([
            "--port", "0", "--unixsocket", "\(folder)/socket", "--dir", folder, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always",
        ])
    }

    var url: String { "unix://\(folder)/socket" }

    func start() async throws(UsageError) { try await process.start() }

    /// Ends the server as a crash does.
    func kill() async {
        process.kill()
        unlink("\(folder)/socket")
    }

    /// Ends the server, and removes what it has left.
    func end() async {
        await kill()
        await TemporaryFolder.remove(folder)
    }
}
