import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// How much a test does: everything where the variable HEADGATE_EFFORT is `full`.
enum Effort {
    static let isFull = ProcessInfo.processInfo.environment["HEADGATE_EFFORT"] == "full"

    static func number(_ full: Int, otherwise: Int) -> Int { isFull ? full : otherwise }
}

enum ProcessMemory {
    /// The resident memory in bytes.
    static var resident: Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
    }

    /// How many sockets are open: the queues of the system open and close descriptors of other kinds.
    static var sockets: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // Its standard streams belong to whoever has started it.
        return names.filter { !["0", "1", "2"].contains($0) }.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasPrefix("socket:")
                == true
        }
    }
}

struct NoAnswer: Error {}

/// Tests that share a server, which ends with the last test of the class: those of programs look for children of this process.
class RedisTestCase: XCTestCase {
    override class func tearDown() {
        RealServer.endSharing()
        super.tearDown()
    }
}

/// A server of the distribution on a Unix socket in a folder of its own.
///
/// A shell watches over it: when the test process ends in whatever way, its input ends, and the server with it.
final class RealServer {
    private nonisolated(unsafe) static var sharedServer: RealServer?

    /// The server that tests share, without a trace of earlier ones.
    static func shared() throws -> RealServer {
        let server = try sharedServer ?? RealServer()
        sharedServer = server
        // What an earlier test has sent, and whose reply it has not waited for, would otherwise be executed after this.
        eventually("the connections of earlier tests are closed") { server.isAlone }
        try server.makeRequest("FLUSHALL")
        try server.makeRequest("CONFIG", "RESETSTAT")
        return server
    }

    static func endSharing() { sharedServer = nil }

    let folder: String
    private let arguments: [String]
    private var shell: Process?
    private var input: Pipe?

    /// Starts a server.
    init(_ arguments: String...) throws {
        guard Self.path != nil else {
            throw XCTSkip("There is no redis-server: apt-get install redis-server")
        }
        var template = Array("/tmp/headgate-redis-XXXXXX".utf8CString)
        folder = String(cString: mkdtemp(&template))
        self.arguments = arguments
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Another version of the server, by the variable HEADGATE_REDIS_SERVER.
    static let path: String? =
        ProcessInfo.processInfo.environment["HEADGATE_REDIS_SERVER"]
        ?? (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { (folder: Substring) -> String in "\(folder)/redis-server" }.first { access($0, X_OK) == 0 } as String?

    var socket: String { "\(folder)/socket" }

    var url: String { "unix://\(socket)" }

    func start() throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = """
            "$@" --port 0 --unixsocket \(socket) --dir \(folder) --save '' >\(folder)/log 2>&1 &
            echo $! >\(folder)/number
            cat >/dev/null
            kill -9 $!
            [ -e \(folder)/kept ] || rm -rf \(folder)
            """
        shell.arguments = ["-c", script, "sh", Self.path!] + arguments
        let input = Pipe()
        shell.standardInput = input
        try shell.run()
        self.input = input
        self.shell = shell
        eventually("the server's answer: \((try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "")") {
            (try? makeRequest("PING")) == .status("PONG")
        }
    }

    /// Stops the process, or lets it go on.
    func signal(_ number: Int32) {
        sendSignal(number, toProcessIn: "\(folder)/number")
    }

    /// Ends the server as a crash does.
    func kill() {
        guard let shell else { return }
        _ = FileManager.default.createFile(atPath: "\(folder)/kept", contents: nil)
        try? input?.fileHandleForWriting.close()
        shell.waitUntilExit()
        self.shell = nil
        unlink(socket)
    }

    /// Sends one command over a socket of its own, without any of what is tested but the parser.
    @discardableResult func makeRequest(_ arguments: Bytes...) throws -> RedisValue { try makeRequest(arguments) }

    @discardableResult func makeRequest(_ arguments: [Bytes]) throws -> RedisValue {
        let number = try connect()
        defer { close(number) }
        let command = Bytes.command(arguments)
        _ = command.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var parser = RESPParser()
        while true {
            let chunk = Bytes(capacity: 1 << 16) { max(0, recv(number, $0.baseAddress, $0.count, 0)) }
            if chunk.isEmpty { throw NoAnswer() }
            parser.take(chunk)
            if let reply = try parser.next() { return reply.value }
        }
    }

    /// Opens a connection, which the caller closes.
    func connect() throws -> Int32 {
        let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: socket.utf8) }
        let isOpen = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isOpen { return number }
        close(number)
        throw NoAnswer()
    }

    /// Whether nobody is connected but the one who asks this.
    var isAlone: Bool { (try? makeRequest("CLIENT", "LIST").text?.split(separator: "\n").count) == 1 }

    /// A number in an answer.
    func number(_ arguments: Bytes...) throws -> Int { Int(try makeRequest(arguments).integer ?? -1) }

    /// Has the reads that wait at the server with a command answered as if their time had passed, or with an error.
    func unblock(_ command: String = "xreadgroup", _ how: Bytes = "TIMEOUT", count: Int = 1) {
        var done = 0
        eventually("it is unblocked") {
            for client in clients(of: command) { done += (try? number("CLIENT", "UNBLOCK", client, how)) ?? 0 }
            return done >= count
        }
    }

    /// The numbers of the clients whose command is this one, or the last.
    func clients(of command: String) -> [Bytes] {
        let clients = (try? makeRequest("CLIENT", "LIST").text) ?? ""
        return clients.split(separator: "\n").filter { $0.contains("cmd=\(command)") }
            .map { Bytes($0.dropFirst("id=".count).prefix { $0 != " " }) }
    }

    /// Waits until so many clients wait at the server.
    func waitForBlocked(_ count: Int) {
        eventually("\(count) wait") {
            (try? makeRequest("INFO", "clients").text?.contains("blocked_clients:\(count)\r")) == true
        }
    }

    /// How often a command has been called.
    func calls(_ command: String) -> Int {
        let text = (try? makeRequest("INFO", "commandstats").text) ?? ""
        let start = "cmdstat_\(command):calls="
        let line = text.split(separator: "\r\n").first { $0.hasPrefix(start) } ?? ""
        return Int(line.dropFirst(start.count).prefix { $0 != "," }) ?? 0
    }

    /// How many entries are pending in a group.
    func pending(_ key: Bytes, _ group: Bytes) throws -> Int {
        Int(try makeRequest(["XPENDING", key, group]).elements?.first?.integer ?? -1)
    }
}

/// What a publisher has published when it has ended, and why it has failed.
func outcome<Output>(_ publisher: AnyPublisher<Output, RedisError>) -> (values: [Output], error: RedisError?) {
    let subscriber = TestSubscriber<Output, RedisError>.checked(.unlimited)
    publisher.subscribe(subscriber)
    let ending = subscriber.ending()
    return (subscriber.values, ending?.failure)
}

extension TestSubscriber {
    /// Waits for the completion.
    @discardableResult func ending(file: StaticString = #filePath, line: UInt = #line) -> Subscribers.Completion<
        Failure
    >? {
        eventually("the stream's end", file: file, line: line) { completion != nil }
        return completion
    }

    func count(_ number: Int, file: StaticString = #filePath, line: UInt = #line) {
        eventually("value \(number)", file: file, line: line) { values.count >= number }
    }
}

extension Subscribers.Completion {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// Sends a signal to the process whose number is in a file.
func sendSignal(_ signal: Int32, toProcessIn file: String) {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    if let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) { _ = Glibc.kill(process, signal) }
}
