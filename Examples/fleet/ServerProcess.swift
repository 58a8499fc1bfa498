@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// A redis-server that can be killed and started again.
final class ServerProcess: Sendable {
    private let arguments: [String]
    private let process = Mutex<(pid: Int32, running: AnyCancellable)?>(nil)

    init(_ arguments: [String]) { self.arguments = arguments }

    /// Starts the server.
    ///
    /// - Parameter more: Arguments for this time.
    func start(_ more: String...) async throws(UsageError) {
        let command = Command("redis-server", arguments: arguments + more)
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
    func kill() {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        if let old { Glibc.kill(old.pid, SIGKILL) }
    }
}

/// A folder for what servers write.
enum TemporaryFolder {
    static func make() throws(UsageError) -> String {
        var template = Array("/tmp/fleet-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw UsageError("there is no room for a temporary folder") }
        return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    /// Removes a folder, when no process uses it any more.
    static func remove(_ folder: String) async {
        await Command.allHaveEnded()
        _ = try? await Command("rm", "-rf", folder).outcome()
    }
}
