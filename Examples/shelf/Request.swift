import HeadgateSystem

/// What the server can't do for a client; the connection is closed after it.
struct Refusal: Error {
    let status: String
    /// Fields of the header.
    var fields = ""

    static let badRequest = Refusal(status: "400 Bad Request")
    static let noMethod = Refusal(
        status: "405 Method Not Allowed", fields: "Allow: GET, HEAD, PUT, DELETE\r\n")
    static let noLength = Refusal(status: "411 Length Required")
    static let tooLarge = Refusal(status: "413 Content Too Large")
    static let headerTooLarge = Refusal(status: "431 Request Header Fields Too Large")
    static let failed = Refusal(status: "500 Internal Server Error")
}

/// The header of a request.
struct Request {
    enum Method: String { case get = "GET", head = "HEAD", put = "PUT", delete = "DELETE" }

    let method: Method
    /// The name of the file.
    let name: String
    /// How many bytes follow the header.
    private(set) var length: Int?
    /// Whether the client waits for a word before it sends them.
    private(set) var awaitsContinue = false
    /// Whether another request may follow.
    private(set) var isLast = false

    /// Reads the lines of a header up to the empty one.
    ///
    /// - Parameter line: The first of them.
    init(_ line: String, from reader: ByteReader<SystemError>) async throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1", words[1].hasPrefix("/") else { throw Refusal.badRequest }
        guard let method = Method(rawValue: String(words[0])) else { throw Refusal.noMethod }
        self.method = method
        name = String(words[1].dropFirst())
        if !Self.isSafe(name) { throw Refusal.badRequest }
        for _ in 0..<100 {
            guard let line = try await reader.line(maximumLength: 8192) else { throw Refusal.badRequest }
            if line.isEmpty { return }
            try take(line)
        }
        throw Refusal.headerTooLarge
    }

    private mutating func take(_ line: String) throws(Refusal) {
        guard let colon = line.firstIndex(of: ":") else { throw .badRequest }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        switch line[..<colon].lowercased() {
        case "content-length":
            guard length == nil, let length = Int(value), length >= 0, value.first != "+" else { throw .badRequest }
            self.length = length
        case "transfer-encoding": throw .noLength
        case "expect": awaitsContinue = value.lowercased() == "100-continue"
        case "connection": isLast = value.lowercased() == "close"
        default: break
        }
    }

    /// Whether a name stays within its folder, and can't be that of a file that is being written.
    private static func isSafe(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count) && name.first != "."
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
