@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// A redis-server of its own, in a temporary folder, that can be killed and started again.
final class Server: Sendable {
    let folder: String
    private let process = Mutex<(pid: Int32, running: AnyCancellable)?>(nil)

    init() throws(UsageError) {
        var template = Array("/tmp/fleet-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw UsageError("there is no room for a temporary folder") }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    var url: String { "unix://\(folder)/socket" }

    /// Starts the server, with a log on disk that survives a crash.
    func start() async throws(UsageError) {
        let command = Command(
            "redis-server", "--port", "0", "--unixsocket", "\(folder)/socket", "--dir", folder, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always")
        let started = CurrentValueSubject<Int32?, SystemError>(nil)
        let running = command.events().sink(
            receiveCompletion: { if case .failure(let error) = $0 { started.send(completion: .failure(error)) } },
            receiveValue: { if case .started(let pid) = $0 { started.send(pid) } })
        do {
            guard let pid = try await started.compactMap({ $0 }).firstValue else {
                throw UsageError("redis-server has not started")
            }
            process.withLock { $0 = (pid, running) }
        } catch {
            throw UsageError(
                "there is no redis-server: install it (apt-get install redis-server), or name one with --redis")
        }
    }

    /// Ends the server as a crash does.
    func kill() async {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        if let old { Glibc.kill(old.pid, SIGKILL) }
        unlink("\(folder)/socket")
    }

    /// Ends the server, and removes what it has left.
    func end() async {
        await kill()
        await Command.allHaveEnded()
        _ = try? await Command("rm", "-rf", folder).outcome()
    }
}
