/// Splits chunks of bytes into replies, RESP2 and RESP3.
///
/// It finds where each reply ends, and checks everything on the way; what a reply contains is read from its bytes when
/// it is needed. So a reply takes no memory of its own. Nesting takes no calls. After a failure, every call fails.
package struct RESPParser {
    private let limits: RESPLimits
    private var chunk = Bytes()
    private var position = 0

    /// Where the reply begins in this chunk, and what of it was in earlier ones.
    private var start = 0
    var earlier: [Bytes] = []

    /// How many elements the innermost container still lacks; at first, the reply is lacking.
    private(set) var lacking = 1

    /// What the containers around it lack; only the first `depth` count, so that memory is taken once.
    private(set) var outer: [Int] = []
    private(set) var depth = 0

    /// How many bytes a string still lacks, with its terminator.
    private var missing = 0

    /// The beginning of a line that spans chunks.
    private var beginning: [UInt8] = []

    /// Of which kind the reply is.
    private(set) var kind: UInt8 = 0
    private var hasVerbatim = false

    /// Whether the reply has neither attributes nor verbatim texts so far.
    private(set) var isPlain = true
    private var failure: RESPError?

    package init(limits: RESPLimits = RESPLimits()) { self.limits = limits }

    /// Whether no bytes of an incomplete reply are left.
    package var isEmpty: Bool {
        position == chunk.endIndex && start == position && earlier.isEmpty && depth == 0 && missing == 0
    }

    /// Takes a chunk, after `next` has returned `nil` for the previous one.
    package mutating func take(_ chunk: Bytes) {
        self.chunk = chunk
        position = chunk.startIndex
        start = position
    }

    /// Calls a closure with each reply that a chunk completes.
    mutating func read(_ chunk: Bytes, _ body: (RESPReply) -> Void) throws(RESPError) {
        take(chunk)
        while let reply = try next() { body(reply) }
    }

    /// The next reply, or `nil` if it is not complete.
    package mutating func next() throws(RESPError) -> RESPReply? {
        if let failure { throw failure }
        do throws(RESPError) {
            guard try findEnd() else {
                if start < chunk.endIndex { earlier.append(chunk[start...]) }
                chunk = Bytes()
                (position, start) = (0, 0)
                return nil
            }
            return try takeReply()
        } catch {
            failure = error
            (chunk, position, start, earlier, outer, beginning) = (Bytes(), 0, 0, [], [], [])
            throw error
        }
    }

    private mutating func takeReply() throws(RESPError) -> RESPReply {
        let last = chunk[start..<position]
        start = position
        lacking = 1
        var reply = RESPReply(kind: kind, first: last)
        if !earlier.isEmpty {
            reply = RESPReply(kind: kind, first: earlier[0], others: earlier.dropFirst() + [last])
            earlier = []
        }
        isPlain = true
        if hasVerbatim {
            hasVerbatim = false
            var reader = RESPReader(reply)
            if reader.value() == nil { throw RESPError("a verbatim text without a format") }
        }
        return reply
    }

    /// Goes on to the end of the reply.
    ///
    /// - Returns: Whether it is there.
    private mutating func findEnd() throws(RESPError) -> Bool {
        while true {
            if missing > 0 {
                guard try skipString() else { return false }
                if completeValue() { return true }
            }
            if beginning.isEmpty {
                switch try skipCommon() {
                case .reply: return true
                case .string: continue
                case .other: break
                }
            }
            guard let line = try takeLine() else { return false }
            if try begin(line), completeValue() { return true }
        }
    }

    /// Counts a value as complete, and the containers that it completes.
    ///
    /// - Returns: Whether the reply is complete.
    private mutating func completeValue() -> Bool {
        var lacking = self.lacking
        defer { self.lacking = lacking }
        return completeValue(in: &lacking)
    }

    @inline(__always) private mutating func completeValue(in lacking: inout Int) -> Bool {
        lacking -= 1
        while lacking == 0 {
            if depth == 0 { return true }
            depth -= 1
            lacking = outer[depth] - 1
        }
        return false
    }

    @inline(__always) private mutating func beginElements(_ count: Int, in lacking: inout Int) {
        if depth == outer.count { outer.append(lacking) } else { outer[depth] = lacking }
        depth += 1
        lacking = count
    }

    private enum Stop {
        /// At the end of the reply.
        case reply
        /// Inside a string that spans chunks.
        case string
        /// Before anything that is not common.
        case other
    }

    /// Skips strings, arrays and integers with plain numbers, which replies consist of nearly always.
    private mutating func skipCommon() throws(RESPError) -> Stop {
        let chunk = self.chunk
        return try chunk.withUnsafeBytes { (memory) throws(RESPError) -> Stop in
            guard let bytes = memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .other }
            let (offset, count) = (chunk.startIndex, memory.count)
            var place = position - offset
            // In a register, because every line changes it.
            var lacking = self.lacking
            defer {
                position = place + offset
                self.lacking = lacking
            }
            while let line = PlainLine(bytes, count, at: place) {
                if depth == 0, lacking == 1 { kind = line.mark }
                var next = line.end
                switch line.mark {
                case UInt8(ascii: "$"):
                    if line.number > limits.length { return .other }
                    let end = next + line.number
                    if end + 2 > count {
                        missing = line.number + 2
                        place = next
                        return .string
                    }
                    if bytes[end] != 0x0D || bytes[end + 1] != 0x0A { throw Self.wrongEnd }
                    next = end + 2
                case UInt8(ascii: "*"):
                    if line.number > limits.elements || depth == limits.depth { return .other }
                    if line.number > 0 {
                        beginElements(line.number, in: &lacking)
                        place = next
                        continue
                    }
                case UInt8(ascii: ":"): break
                default: return .other
                }
                place = next
                if completeValue(in: &lacking) { return .reply }
            }
            return .other
        }
    }

    private static let wrongEnd = RESPError("a string that does not end where it should")

    /// Skips what is there of a string.
    ///
    /// - Returns: Whether it is complete.
    private mutating func skipString() throws(RESPError) -> Bool {
        let skipped = min(chunk.endIndex - position, max(0, missing - 2))
        position += skipped
        missing -= skipped
        while missing > 0, position < chunk.endIndex {
            if chunk[position] != (missing == 2 ? 0x0D : 0x0A) { throw Self.wrongEnd }
            position += 1
            missing -= 1
        }
        return missing == 0
    }

    /// Takes a line without its terminator, if it is complete.
    private mutating func takeLine() throws(RESPError) -> Bytes? {
        let rest = chunk[position...]
        let end = rest.firstIndex(of: 0x0A) ?? chunk.endIndex
        if beginning.isEmpty, let kind = rest.first { try checkKind(kind) }
        if beginning.count + end - position > limits.lineLength + 3 {
            throw RESPError("a line of more than \(limits.lineLength) bytes")
        }
        if end == chunk.endIndex {
            rest.withUnsafeBytes { beginning.append(contentsOf: $0) }
            position = end
            return nil
        }
        var line = chunk[position..<end]
        position = end + 1
        if !beginning.isEmpty {
            line.withUnsafeBytes { beginning.append(contentsOf: $0) }
            line = Bytes(beginning)
            beginning = []
        }
        if line.last != 0x0D { throw RESPError("a line that does not end with CR LF") }
        return line.dropLast()
    }

    private func checkKind(_ kind: UInt8) throws(RESPError) {
        if "+-:$*_,#(!=%~>|".utf8.contains(kind) { return }
        let isWeb = chunk[position...].starts(with: Bytes("HTTP/"))
        throw RESPError(
            (isWeb ? "the answer of an HTTP server: \"" : "no type of the protocol: \"")
                + chunk[position...].excerpt() + "\"")
    }
}

extension RESPParser {
    /// Checks a line, and begins what follows it.
    ///
    /// - Returns: Whether the line is a complete value.
    private mutating func begin(_ line: Bytes) throws(RESPError) -> Bool {
        guard let kind = line.first else { throw RESPError("an empty line") }
        let text = line.dropFirst()
        if depth == 0, lacking == 1, kind != UInt8(ascii: "|") { self.kind = kind }
        switch kind {
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let length = try count(text, limit: limits.length, of: "bytes") else { return true }
            if kind == UInt8(ascii: "=") { (hasVerbatim, isPlain) = (true, false) }
            missing = length + 2
            return false
        case UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            return try beginContainer(kind, text)
        case UInt8(ascii: ":"):
            if text.decimal == nil { throw RESPError("no integer: \"\(text.excerpt())\"") }
        case UInt8(ascii: "+"), UInt8(ascii: "-"): break
        case UInt8(ascii: "_"):
            if !text.isEmpty { throw RESPError("null with a value") }
        case UInt8(ascii: "#"):
            if text != "t" && text != "f" { throw RESPError("no truth value: \"\(text.excerpt())\"") }
        case UInt8(ascii: "("): try checkBigNumber(text)
        case UInt8(ascii: ","):
            if text.double == nil { throw RESPError("no number: \"\(text.excerpt())\"") }
        default: throw RESPError("no type of the protocol")
        }
        return true
    }

    private func count(_ text: Bytes, limit: Int, of what: String) throws(RESPError) -> Int? {
        guard let number = text.decimal, number >= -1 else { throw RESPError("no length: \"\(text.excerpt())\"") }
        if number > Int64(limit) { throw RESPError("\(number) \(what) announced, at most \(limit) allowed") }
        return number == -1 ? nil : Int(number)
    }

    private mutating func beginContainer(_ kind: UInt8, _ text: Bytes) throws(RESPError) -> Bool {
        let isAttribute = kind == UInt8(ascii: "|")
        guard let announced = try count(text, limit: limits.elements, of: "elements") else { return !isAttribute }
        let count = isAttribute || kind == UInt8(ascii: "%") ? announced * 2 : announced
        if count > limits.elements {
            throw RESPError("\(count) elements announced, at most \(limits.elements) allowed")
        }
        // The value that an attribute belongs to is still lacking after it.
        if isAttribute { (lacking, isPlain) = (lacking + 1, false) }
        if count == 0 { return true }
        if depth == limits.depth { throw RESPError("nesting of more than \(limits.depth) levels") }
        var lacking = self.lacking
        beginElements(count, in: &lacking)
        self.lacking = lacking
        return false
    }

    private func checkBigNumber(_ text: Bytes) throws(RESPError) {
        let digits = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
        if digits.isEmpty || !digits.allSatisfy({ 0x30...0x39 ~= $0 }) {
            throw RESPError("no number: \"\(text.excerpt())\"")
        }
    }
}
