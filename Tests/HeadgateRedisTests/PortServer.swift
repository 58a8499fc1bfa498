import Foundation
import HeadgateCore
import HeadgateRedis
import TestSupport
import XCTest

/// A server on a port of the loopback interface; it ends with the test process.
final class PortServer {
    let port: UInt16
    let folder = Folder()
    private let arguments: [String]
    private var process: Process?
    private var input: Pipe?

    /// - Parameters:
    ///   - settings: Lines of its configuration.
    ///   - isNode: Whether the port ten thousand above is needed, too: that of the nodes of a cluster.
    init(_ settings: [String] = [], isSentinel: Bool = false, isNode: Bool = false) throws {
        guard let path = RealServer.path else {
            throw XCTSkip("There is no redis-server: apt-get install redis-server")
        }
        port = Self.freePort(isNode: isNode)
        let lines = ["port \(port)", "bind 127.0.0.1", "dir \(folder.path)", "protected-mode no"] + settings
        let file = folder.write(lines.joined(separator: "\n") + "\n", to: "settings")
        arguments = [path, file] + (isSentinel ? ["--sentinel"] : [])
        try start()
    }

    deinit { kill() }

    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = """
            "$@" >\(folder["log"]) 2>&1 &
            echo $! >\(folder["number"])
            cat >/dev/null
            kill -9 $!
            """
        process.arguments = ["-c", script, "sh"] + arguments
        let input = Pipe()
        process.standardInput = input
        try process.run()
        self.process = process
        self.input = input
        eventually("the server's answer: \(folder.read("log") ?? "")") { makeRequest("PING") != nil }
    }

    /// Ends the server as a crash does.
    func kill() {
        guard let process else { return }
        try? input?.fileHandleForWriting.close()
        process.waitUntilExit()
        self.process = nil
    }

    var isRunning: Bool { process != nil }

    /// Stops the process, or lets it go on.
    func signal(_ number: Int32) {
        sendSignal(number, toProcessIn: folder["number"])
    }

    @discardableResult func makeRequest(_ arguments: Bytes...) -> RedisValue? { makeRequest(arguments) }

    /// Sends one command over a socket of its own, without any of what is tested but the parser.
    @discardableResult func makeRequest(_ arguments: [Bytes]) -> RedisValue? {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = Self.loopback(port)
        let isOpen = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if !isOpen { return nil }
        let command = Bytes.command(arguments)
        _ = command.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var parser = RESPParser()
        while true {
            let chunk = Bytes(capacity: 1 << 16) { max(0, recv(number, $0.baseAddress, $0.count, 0)) }
            if chunk.isEmpty { return nil }
            parser.take(chunk)
            if let reply = try? parser.next() { return reply.value }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func freePort(isNode: Bool) -> UInt16 {
        while true {
            guard let port = bound(to: 0) else { continue }
            if !isNode { return port }
            // A server's second port is not found by itself.
            if port < 55_000, bound(to: port + 10_000) != nil { return port }
        }
    }

    /// Binds a socket to a port, and closes it.
    ///
    /// - Returns: The port, if it was free.
    private static func bound(to port: UInt16) -> UInt16? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                if bind(socket, $0, size) != 0 { return false }
                return getsockname(socket, $0, &size) == 0
            }
        } ? UInt16(bigEndian: address.sin_port) : nil
    }
}
