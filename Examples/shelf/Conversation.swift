@preconcurrency import Glibc
import HeadgateSystem

/// One client: a header, the body that it announces, an answer, and the next request behind them, all on one connection.
struct Conversation: Sendable {
    let connection: Connection
    let arguments: Arguments
    let shutdown: GracefulShutdown

    /// Answers requests until the client ends, or the server does.
    func run() async {
        let reader = connection.bytes().reader()
        do {
            while let line = try await firstLine(from: reader), try await answer(line, reader) {}
        } catch let refusal as Refusal {
            log("refused", refusal.status)
            await say(refusal.status, refusal.fields + "Connection: close\r\n", keepsOpen: false)
            // A connection that is closed with unread bytes is reset, and the answer lost with it.
            try? await skip(reader)
        } catch {
            connection.reset()
        }
    }

    /// The first line of the next request; `nil` where none follows, or the server stops before it has come.
    private func firstLine(from reader: ByteReader<SystemError>) async throws -> String? {
        try await reader.lines(maximumLength: 8192).stopped(by: shutdown.stop).firstValue
    }

    /// - Returns: Whether another request may follow.
    private func answer(_ line: String, _ reader: ByteReader<SystemError>) async throws -> Bool {
        let request = try await Request(line, from: reader)
        switch request.method {
        case .put: try await store(request, reader)
        case .get, .head: try await load(request)
        case .delete: try await remove(request)
        }
        return !request.isLast
    }

    /// Writes the body to its file as it arrives: what is not on the disk yet is not requested of the client.
    private func store(_ request: Request, _ reader: ByteReader<SystemError>) async throws {
        guard let length = request.length else { throw Refusal.noLength }
        if length > arguments.limit { throw Refusal.tooLarge }
        if request.awaitsContinue { await say("100 Continue") }
        let file = File("\(arguments.folder)/\(request.name)")
        // A client that leaves before the last byte fails this, and so does the deadline of the shutdown: the file stays what it was.
        switch await reader.chunks(count: length).underWay(in: shutdown).write(to: file, mode: .replace) {
        case .finished:
            log(request, "201 Created", bytes: length)
            await say("201 Created", "Content-Length: 0\r\n")
        case .upstreamFailed(let error, _):
            log(request, "not received: \(error)")
            throw error
        default: throw Refusal.failed
        }
    }

    private func load(_ request: Request) async throws {
        if request.length ?? 0 > 0 { throw Refusal.badRequest }
        let path = "\(arguments.folder)/\(request.name)"
        guard let length = length(of: path) else { return await sayNotFound(request) }
        let header = "Content-Length: \(length)\r\n"
        if request.method == .head {
            log(request, "200 OK")
            return await say("200 OK", header)
        }
        // As many bytes as were announced: a file that has become shorter meanwhile is a failure, which resets the connection.
        let written = await File(path).bytes().reader().chunks(count: length)
            .prepend(Bytes("HTTP/1.1 200 OK\r\n\(header)\r\n"))
            .write(to: connection, keepsOpen: true, stallLimit: StallLimit(.seconds(30)))
        let isComplete = written?.isComplete == true
        log(request, isComplete ? "200 OK" : "200 OK, not sent to the end", bytes: length)
        if !isComplete { connection.reset() }
    }

    private func remove(_ request: Request) async throws {
        if request.length ?? 0 > 0 { throw Refusal.badRequest }
        let path = "\(arguments.folder)/\(request.name)"
        guard length(of: path) != nil, unlink(path) == 0 else { return await sayNotFound(request) }
        log(request, "204 No Content")
        await say("204 No Content")
    }

    /// The length of a file in bytes; `nil` if there is none.
    private func length(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    private func sayNotFound(_ request: Request) async {
        log(request, "404 Not Found")
        await say("404 Not Found", "Content-Length: 0\r\n")
    }

    private func log(_ request: Request, _ status: String, bytes: Int? = nil) {
        log("\(request.method.rawValue) /\(request.name)", status, bytes: bytes)
    }

    private func log(_ request: String, _ status: String, bytes: Int? = nil) {
        Shelf.complain("\(connection) \(request): \(status)\(bytes.map { ", \($0) bytes" } ?? "")")
    }

    private func say(_ status: String, _ fields: String = "", keepsOpen: Bool = true) async {
        _ = await Just(Bytes("HTTP/1.1 \(status)\r\n\(fields)\r\n"))
            .write(to: connection, keepsOpen: keepsOpen, stallLimit: StallLimit(.seconds(30)))
    }

    private func skip(_ reader: ByteReader<SystemError>) async throws {
        var rest = 1 << 20
        while rest > 0, let chunk = try await reader.chunk() { rest -= chunk.count }
    }
}
