import Glibc
import HeadgateSystem
import XCTest

/// The server as a process, and conversations whose requests arrive in all kinds of pieces.
final class ShelfTests: XCTestCase {
    private let folder = Folder()

    private var address: SocketAddress { .unix(path: folder["socket"]) }

    private func server(_ arguments: String...) -> Example {
        mkdir(folder["files"], 0o700)
        let line = "exec \"$0\" --path \"$@\" 2>&1"
        let example = Example(
            "shelf", inShell: arguments.reduce(line) { "\($0) \($1)" }, folder["socket"], folder["files"])
        eventually("it listens") { example.output.contains("listening") }
        return example
    }

    private func put(_ name: String, _ body: String, _ fields: String = "") -> String {
        "PUT /\(name) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    private func get(_ name: String, _ fields: String = "") -> String { "GET /\(name) HTTP/1.1\r\n\(fields)\r\n" }

    private let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"

    private func found(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func end(_ server: Example) {
        server.signal(.terminate)
        XCTAssertEqual(server.awaitEnd(), .status(0), server.output)
    }

    /// Sends all but three bytes of a request, and returns when the server has begun with it.
    private func begin(_ request: String, by client: PlainClient) {
        client.send(String(request.dropLast(3)))
        let go = "HTTP/1.1 100 Continue\r\n\r\n"
        XCTAssertEqual(client.read(go.utf8.count), go)
    }

    func test_requestsBehindEachOtherAreAnsweredWhereverTheirPiecesEnd() {
        let server = server()
        let requests = put("one", "first\r\n\r\nGET /x") + get("one") + put("empty", "") + get("empty") + get("none")
        let answers =
            created + found("first\r\n\r\nGET /x") + created + found("")
            + "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        for size in [1, 7, 64, requests.utf8.count] {
            let client = PlainClient(address)
            var rest = Substring(requests)
            while !rest.isEmpty {
                client.send(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            client.closeWriting()
            XCTAssertEqual(client.readAll(), answers)
        }
        end(server)
    }

    func test_aFileIsAskedForAndRemoved() {
        let server = server()
        let client = PlainClient(address)
        func request(_ method: String, _ name: String) -> String { "\(method) /\(name) HTTP/1.1\r\n\r\n" }
        client.send(
            put("file", "content") + request("HEAD", "file") + request("DELETE", "file") + request("DELETE", "file")
                + request("HEAD", "file") + request("DELETE", ".."))
        client.closeWriting()
        let none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        XCTAssertEqual(
            client.readAll(),
            created + "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n" + "HTTP/1.1 204 No Content\r\n\r\n" + none + none
                + "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        XCTAssertEqual(folder.names("files"), [])
        end(server)
        let log = server.output.split(separator: "\n").map(String.init)
        for (line, end) in zip(
            log.filter { !$0.contains("listening") },
            [
                "PUT /file: 201 Created, 7 bytes", "HEAD /file: 200 OK", "DELETE /file: 204 No Content",
                "DELETE /file: 404 Not Found", "HEAD /file: 404 Not Found", "refused: 400 Bad Request",
            ])
        {
            XCTAssertTrue(line.hasPrefix("shelf: ") && line.hasSuffix(" \(end)"), line)
        }
        XCTAssertEqual(log.count, 7, server.output)
    }

    func test_aLargeBodyPassesAndIsAwaited() {
        let server = server()
        let body = String(repeating: "0123456789abcdef", count: 1 << 17)
        let client = PlainClient(address)
        let request = put("large", body, "Expect: 100-continue\r\n")
        client.send(String(request.dropLast(body.count)))
        let go = "HTTP/1.1 100 Continue\r\n\r\n"
        XCTAssertEqual(client.read(go.utf8.count), go)
        client.sendAll(body)
        XCTAssertEqual(client.read(created.utf8.count), created)
        client.send(get("large", "Connection: close\r\n"))
        XCTAssertTrue(client.readAll() == found(body))
        end(server)
    }

    func test_aClientThatLeavesInTheMiddleLeavesTheOldFile() {
        let server = server()
        let client = PlainClient(address)
        client.send(put("file", "old") + String(put("file", "new content").dropLast(4)))
        XCTAssertEqual(client.read(created.utf8.count), created)
        client.close()
        eventually("what was begun is removed") { folder.names("files") == ["file"] }
        XCTAssertEqual(folder.read("files/file"), "old")
        end(server)
    }

    func test_aRequestThatCannotBeServedIsRefusedAndTheConnectionClosed() {
        let server = server("--limit 4")
        for (request, status) in [
            (put("file", "12345"), "413"), (get("../file"), "400"), (get(".hidden"), "400"), ("nonsense\r\n", "400"),
            ("POST /file HTTP/1.1\r\n\r\n", "405"), ("PUT /file HTTP/1.1\r\n\r\n", "411"),
            (get("file", "Content-Length: -1\r\n"), "400"), (get("file", "Transfer-Encoding: chunked\r\n"), "411"),
            (get("file", String(repeating: "A: b\r\n", count: 101)), "431"),
        ] {
            let client = PlainClient(address)
            client.send(request + get("file"))
            client.closeWriting()
            let answer = client.readAll()
            XCTAssertTrue(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request) \(answer)")
            XCTAssertEqual(answer.contains("\r\nAllow: GET, HEAD, PUT, DELETE\r\n"), status == "405")
            XCTAssertTrue(answer.hasSuffix("\r\nConnection: close\r\n\r\n"), answer)
        }
        end(server)
    }

    func test_endsWhenWhatHasBegunIsDoneAndWithoutWaitingForSilentClients() {
        let server = server("--grace", "30")
        let silent = PlainClient(address)
        let busy = PlainClient(address)
        begin(put("file", "content", "Expect: 100-continue\r\n"), by: busy)
        server.signal(.terminate)
        XCTAssertEqual(silent.readAll(), "")
        busy.send("ent")
        XCTAssertEqual(busy.readAll(), created)
        XCTAssertEqual(server.awaitEnd(), .status(0))
        XCTAssertEqual(folder.read("files/file"), "content")
    }

    func test_whatTakesTooLongIsCutOff() {
        let server = server("--grace", "0")
        let client = PlainClient(address)
        begin(put("file", "content", "Expect: 100-continue\r\n"), by: client)
        server.signal(.terminate)
        XCTAssertEqual(server.awaitEnd(), .status(0))
        XCTAssertTrue(server.output.contains("not answered in time"), server.output)
        XCTAssertEqual(folder.names("files"), [])
    }
}

extension PlainClient {
    /// Reads a number of bytes, or up to the end.
    fileprivate func read(_ count: Int) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while all.count < count, case let more = recv(number, &buffer, count - all.count, 0), more > 0 {
            all += buffer[..<more]
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Sends more than the kernel takes at once.
    fileprivate func sendAll(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return XCTFail("it takes no more") }
            rest = rest.dropFirst(count)
        }
    }
}

extension Folder {
    /// The names of the files in a folder in it.
    fileprivate func names(_ folder: String) -> [String] {
        guard let entries = opendir(self[folder]) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
