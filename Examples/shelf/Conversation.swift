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
            await say(refusal.status, "Connection: close\r\n", keepsOpen: false)
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
        case .get: try await load(request)
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
        case .finished: await say("201 Created", "Content-Length: 0\r\n")
        case .upstreamFailed(let error, _): throw error
        default: throw Refusal.failed
        }
    }

    private func load(_ request: Request) async throws {
        if request.length ?? 0 > 0 { throw Refusal.badRequest }
        let path = "\(arguments.folder)/\(request.name)"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return await say("404 Not Found", "Content-Length: 0\r\n")
        }
        let header = Bytes("HTTP/1.1 200 OK\r\nContent-Length: \(status.st_size)\r\n\r\n")
        // As many bytes as were announced: a file that has become shorter meanwhile is a failure, which resets the connection.
        let body = File(path).bytes().reader().chunks(count: Int(status.st_size))
        let written = await body.prepend(header).write(
            to: connection, keepsOpen: true, stallLimit: StallLimit(.seconds(30)))
        if written?.isComplete != true { connection.reset() }
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
